/**
 * What the SDK's requests cost in the service, and how long they take beside a floor that does only what cannot be left
 * out (`floor-worker.ts`): the same runtime, tables and rows, production, and every request byte for byte the same to
 * both, over one connection. Options measure something else instead.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { foreignRows } from "../../worker/test-support/foreign-rows.ts";
import { benchCapacity } from "./capacity.ts";
import { atMost, type Goal, median, type Options, printTable, sum } from "./harness.ts";
import { endSessions, forgetLoads, travel } from "./passenger.ts";
import { type Line, memoryOf, type Side, type Took, toAll, withSides } from "./sides.ts";

/** Of a request's time over the floor's: less where a person waits for it. */
const MOST_RATIO = { awaited: 1.3, other: 1.5 } as const;
const AWAITED = /^\/v2\/(journeys|ebt-lookups|ebt-authorizations)/;
const mostRatio = (request: string) => MOST_RATIO[AWAITED.test(request) ? "awaited" : "other"];
/** Journeys before those that count. */
const WARM_UP = 5;
const ROUNDS = 90;

/** A second passenger takes the v2.0 tag over by a custody proof. */
const JOURNEYS = [
  { generation: "2.1", isTakenOver: false, most: { calls: 17, statements: 50, rowsWritten: 33 } },
  { generation: "2.0", isTakenOver: true, most: { calls: 28, statements: 91, rowsWritten: 62 } },
] as const;

export async function benchService({ rounds = ROUNDS, crowd, soak, capacity }: Options) {
  const goals: Goal[] = [];
  if (crowd !== undefined) goals.push(...(await benchCrowd(crowd, rounds)));
  if (soak !== undefined) goals.push(...(await benchSoak(soak)));
  if (capacity) goals.push(...(await benchCapacity()));
  const isElse = capacity || crowd !== undefined || soak !== undefined;
  return isElse ? goals : benchBesideFloor(rounds);
}

/** The requests of each journey. */
type Journeys = readonly (readonly Took[])[];

const benchBesideFloor = (rounds: number): Promise<readonly Goal[]> =>
  withSides(["service", "floor"], async (sides) => {
    const [{ server, lines }] = sides;
    const goals: Goal[] = [];
    for (const { generation, isTakenOver, most } of JOURNEYS) {
      const between = async () => {
        for (const side of sides) await endSessions(side.server);
      };
      const journeys = await repeat(sides, rounds, () =>
        travel(server, { generation, isTakenOver, send: toAll(sides), between }),
      );
      // The last lines come after their answers.
      await sleep(1_000);
      const title = `v${generation} tag${isTakenOver ? ", taken over" : ""}`;
      const counts = printCounts(title, journeys[0] ?? [], lines);
      for (const [what, limit] of Object.entries(most))
        goals.push(atMost(`${title}: ${what}`, counts[what as keyof typeof most], limit));
      goals.push(...compare(title, journeys, mostRatio));
    }
    return goals;
  });

/** Plays a journey {@link WARM_UP} times and `rounds` times; the latter's requests to each of `sides`. */
async function repeat(sides: readonly Side[], rounds: number, play: () => Promise<void>) {
  const journeys = sides.map((): Took[][] => []);
  for (let round = 0; round < WARM_UP + rounds; round += 1) {
    for (const { server } of sides) await forgetLoads(server);
    await play();
    for (const [at, { took }] of sides.entries()) journeys[at]?.push(took.splice(0));
  }
  return journeys.map((all) => all.slice(WARM_UP));
}

const TOGETHER = "together";
const namesIn = (journeys: Journeys) => [...new Set(journeys.flat().map(({ name }) => name)), TOGETHER];

/** Of each journey, the sum of a figure over its requests of one name, or over all of them. */
const inEach = <Request extends Took>(
  journeys: readonly (readonly Request[])[],
  name: string,
  figure: (request: Request) => number,
): readonly number[] =>
  journeys.map((one) => sum(one.filter((request) => name === TOGETHER || request.name === name).map(figure)));

const COUNTED = ["calls", "statements", "rowsRead", "rowsWritten", "sent", "answered"] as const;
type Counts = Readonly<Record<(typeof COUNTED)[number], number>>;

/** Prints medians of what the service logged and the SDK sent, by request; returns those of a whole journey. */
function printCounts(title: string, journeys: Journeys, lines: readonly Line[]): Counts {
  const logged = new Map(lines.map((line) => [line.requestId, line]));
  const counted = journeys.map((one) =>
    one.map((took) => ({ ...(logged.get(took.requestId) as Line), ...took })),
  );
  const rows = namesIn(journeys).map((request) => {
    const counts = COUNTED.map((what) => [what, median(inEach(counted, request, (one) => one[what]))]);
    const times = median(inEach(counted, request, () => 1));
    return { request, times, ...(Object.fromEntries(counts) as Counts) };
  });
  printTable(`One journey, ${title}: calls, rows and bytes`, rows);
  return rows.at(-1) as Counts;
}

/** The journeys in which a ratio is taken: the median of blocks says more than one over all on a machine with other work. */
const BLOCKS = 15;
const TIMES = { time: "p50", cpu: "processor time" } as const;

/** Prints medians of time and processor time beside those of another side; the ratio of each has a goal. */
function compare(
  title: string,
  [ours = [], theirs = []]: readonly Journeys[],
  most: (request: string) => number,
): readonly Goal[] {
  const goals: Goal[] = [];
  const rows = namesIn(ours).map((request) => {
    const ratioOf = (what: keyof typeof TIMES) => {
      const [mine, other] = [ours, theirs].map((all) => inEach(all, request, (one) => one[what]));
      const ratio = medianRatio(mine ?? [], other ?? []);
      goals.push(atMost(`${title}: ${request}, ratio of ${TIMES[what]}`, ratio, most(request), 2));
      return `${median(mine ?? []).toFixed(1)} / ${median(other ?? []).toFixed(1)} = ${ratio.toFixed(2)}`;
    };
    return { request, p50: ratioOf("time"), processor: ratioOf("cpu") };
  });
  const blocks = Math.min(BLOCKS, ours.length);
  printTable(`${title}, ${ours.length} journeys: medians in ms, and of the ratios of ${blocks} blocks`, rows);
  return goals;
}

function medianRatio(ours: readonly number[], theirs: readonly number[]): number {
  const length = Math.max(1, Math.floor(ours.length / BLOCKS));
  const block = (all: readonly number[], at: number) => median(all.slice(at * length, (at + 1) * length));
  const blocks = Array.from({ length: Math.min(BLOCKS, ours.length) }, (_, at) => at);
  return median(blocks.map((at) => block(ours, at) / block(theirs, at)));
}

/** Rows of others in each table of the smaller side; and the median of the larger over that of the smaller. */
const SMALL = 1_000;
const MOST_BESIDE_CROWD = 1.3;

/** The SDK's requests on an almost empty and on a crowded database, in turn: they must not grow with the tables. */
const benchCrowd = (size: number, rounds: number): Promise<readonly Goal[]> =>
  withSides(["service", "service"], async (sides) => {
    for (const [at, { server }] of sides.entries()) {
      const rows = foreignRows("LH", at === 0 ? size : SMALL, Date.now());
      for (const text of rows) await server.database.prepare(text).run();
    }
    let plays = 0;
    const journeys = await repeat(sides, rounds, async () => {
      plays += 1;
      for (const side of plays % 2 === 0 ? sides : sides.toReversed()) await playBoth(side);
    });
    return compare(`${size} rows beside ${SMALL}`, journeys, () => MOST_BESIDE_CROWD);
  });

/** Both tags, one of them taken over by a custody proof; each cleared after the session was refreshed. */
async function playBoth(side: Side): Promise<void> {
  const journey = { send: toAll([side]), between: async () => undefined };
  await travel(side.server, { ...journey, generation: "2.1" });
  await travel(side.server, { ...journey, generation: "2.0", isTakenOver: true });
}

/** Passengers at once, whose journeys follow each other without a pause. */
const PASSENGERS = 16;
/** Longer than a journey takes. */
const MINUTE = 60_000;
/** The memory at the end over that after a fifth of the time, or as much as the floor's, whose growth is the runtime's. */
const MOST_GROWTH = 1.2;
const WARM_SHARE = 0.2;

/** Prints the memory of both after so many seconds. */
const benchSoak = (seconds: number): Promise<readonly Goal[]> =>
  withSides(["service", "floor"], async (sides) => {
    const [began, until] = [Date.now(), Date.now() + seconds * 1_000];
    const seen: { readonly at: number; readonly memory: readonly number[] }[] = [];
    const live = async (n: number) => {
      while (Date.now() < until) {
        const generation = n % 2 === 0 ? "2.1" : "2.0";
        await travel(sides[0].server, { generation, send: toAll(sides) });
        for (const { server, took, lines } of sides) {
          await forgetLoads(server, Date.now() - MINUTE);
          took.length = lines.length = 0;
        }
        seen.push({ at: Date.now() - began, memory: sides.map(memoryOf) });
      }
    };
    await Promise.all(Array.from({ length: PASSENGERS }, (_, n) => live(n)));
    const warm = seen.find(({ at }) => at >= seconds * 1_000 * WARM_SHARE)?.memory ?? [];
    const rows = ["service", "floor"].map((side, at) => ({
      side,
      "after a fifth": warm[at] ?? Number.NaN,
      "at the end": memoryOf(sides[at] as Side),
    }));
    printTable(
      `${seen.length} journeys in ${seconds} s, ${PASSENGERS} at once: the memory of workerd, in MB`,
      rows,
    );
    const [ours = Number.NaN, floors = 0] = rows.map((row) => row["at the end"] / row["after a fifth"]);
    return [atMost("growth of workerd's memory", ours, Math.max(MOST_GROWTH, Number(floors.toFixed(2))), 2)];
  });
