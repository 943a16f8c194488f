/**
 * The service beside a floor that does only what cannot be left out (`floor-worker.ts`): the same runtime, the same
 * tables and rows, production, and every request that the SDK sends in a journey, byte for byte the same to both, over
 * one connection. A second passenger takes the v2.0 tag over by a custody proof. Isolates that know the sessions have a goal;
 * in new ones, which know none, both sides' code is cold too, so that only their ratio says something.
 */
import type { GattVersion } from "../../core/gatt/profile.ts";
import { type Side, type Took, toBoth, withBoth } from "./floor-sides.ts";
import { median } from "./median.ts";
import { optionOf } from "./options.ts";
import { endSessions, forgetLoads, travel } from "./passenger.ts";
import { requireQuiet } from "./quiet.ts";
import { printTable } from "./table.ts";

const GOAL = 1.3;
const WARM_UP = 10;
/** Journeys in isolates that know the sessions for one in which each request meets a new isolate. */
const KNOWN_PER_NEW = 20;
const MEASURES = { time: "p50, ms", cpu: "CPU, ms" } as const;
type Measure = keyof typeof MEASURES;

/** By request: what each took on the service, and on the floor. */
type Taken = Map<string, readonly [service: Took[], floor: Took[]]>;

/** Prints the ratios; resolves with whether each is within its goal. */
export async function benchFloor(): Promise<boolean> {
  const rounds = optionOf("rounds", 100);
  await requireQuiet();
  return withBoth(async (service, floor) => {
    const areMet: boolean[] = [];
    for (const generation of ["2.1", "2.0"] as const) {
      await play(generation, WARM_UP, [service, floor]);
      const known = await play(generation, rounds, [service, floor]);
      areMet.push(report(`v${generation} tag, isolates that know the session`, rounds, known, GOAL));
      const few = Math.ceil(rounds / KNOWN_PER_NEW);
      const cold = await play(generation, few, [service, floor], "new");
      report(`v${generation} tag, a new isolate for each request`, few, cold);
    }
    return areMet.every(Boolean);
  });
}

async function play(
  generation: GattVersion,
  rounds: number,
  sides: readonly [Side, Side],
  isolate: "known" | "new" = "known",
): Promise<Taken> {
  const taken: Taken = new Map();
  const [service, floor] = sides;
  const onBoth = (work: (side: Side) => Promise<unknown>) => async () => {
    for (const side of sides) await work(side);
  };
  const onTook = (side: Side, name: string, took: Took) => {
    const lists = taken.get(name) ?? [[], []];
    taken.set(name, lists);
    lists[side === service ? 0 : 1].push(took);
  };
  const renew = isolate === "new" ? onBoth((side) => side.renew()) : undefined;
  const send = toBoth(service, floor, onTook, renew);
  const between = onBoth(({ server }) => endSessions(server));
  const forget = onBoth(({ server }) => forgetLoads(server));
  for (let round = 0; round < rounds; round += 1) {
    await forget();
    await travel(service.server, { generation, send, isTakenOver: generation === "2.0", between });
  }
  return taken;
}

function report(title: string, rounds: number, taken: Taken, goal = Number.POSITIVE_INFINITY): boolean {
  const rows = (Object.keys(MEASURES) as Measure[]).flatMap((measure) => {
    const each = [...taken].map(([name, lists]) => {
      const [ours = 0, least = 0] = lists.map((list) => median(list.map((took) => took[measure])));
      return { name, measure, ours, least, times: lists[0].length / rounds };
    });
    const sum = (side: "ours" | "least") => each.reduce((all, row) => all + row[side] * row.times, 0);
    return [...each, { name: "the journey", measure, ours: sum("ours"), least: sum("least"), times: 1 }];
  });
  const isMet = ({ ours, least }: (typeof rows)[number]) => ours / least <= goal;
  printTable(
    `Beside the floor, ${title}, ${rounds} journeys`,
    rows.map((row) => ({
      request: row.name,
      "in a journey": row.times,
      measure: MEASURES[row.measure],
      service: row.ours.toFixed(2),
      floor: row.least.toFixed(2),
      ratio: (row.ours / row.least).toFixed(2),
      ...(Number.isFinite(goal) && { goal: `≤ ${goal}`, met: isMet(row) ? "yes" : "NO" }),
    })),
  );
  return rows.every(isMet);
}
