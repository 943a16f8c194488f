/**
 * The service beside a floor that does only what cannot be left out (`floor-worker.ts`): the same runtime, the same
 * tables and rows, production, and every request that the SDK sends in a journey, byte for byte the same to both, over
 * one connection. The isolates know the sessions. A second passenger takes the v2.0 tag over by a custody proof.
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
      areMet.push(report(generation, rounds, await play(generation, rounds, [service, floor])));
    }
    return areMet.every(Boolean);
  });
}

async function play(generation: GattVersion, rounds: number, sides: readonly [Side, Side]): Promise<Taken> {
  const taken: Taken = new Map();
  const [service, floor] = sides;
  const send = toBoth(service, floor, (side, name, took) => {
    const lists = taken.get(name) ?? [[], []];
    taken.set(name, lists);
    lists[side === service ? 0 : 1].push(took);
  });
  const onBoth = (work: (side: Side) => Promise<unknown>) => async () => {
    for (const side of sides) await work(side);
  };
  const between = onBoth(({ server }) => endSessions(server));
  const forget = onBoth(({ server }) => forgetLoads(server));
  for (let round = 0; round < rounds; round += 1) {
    await forget();
    await travel(service.server, { generation, send, isTakenOver: generation === "2.0", between });
  }
  return taken;
}

function report(generation: GattVersion, rounds: number, taken: Taken): boolean {
  const rows = (Object.keys(MEASURES) as Measure[]).flatMap((measure) => {
    const each = [...taken].map(([name, lists]) => {
      const [ours = 0, least = 0] = lists.map((list) => median(list.map((took) => took[measure])));
      return { name, measure, ours, least, times: lists[0].length / rounds };
    });
    const sum = (side: "ours" | "least") => each.reduce((all, row) => all + row[side] * row.times, 0);
    return [...each, { name: "the journey", measure, ours: sum("ours"), least: sum("least"), times: 1 }];
  });
  const isMet = ({ ours, least }: (typeof rows)[number]) => ours / least <= GOAL;
  printTable(
    `Beside the floor, v${generation} tag, ${rounds} journeys`,
    rows.map((row) => ({
      request: row.name,
      "in a journey": row.times,
      measure: MEASURES[row.measure],
      service: row.ours.toFixed(2),
      floor: row.least.toFixed(2),
      ratio: (row.ours / row.least).toFixed(2),
      goal: `≤ ${GOAL}`,
      met: isMet(row) ? "yes" : "NO",
    })),
  );
  return rows.every(isMet);
}
