/**
 * What the SDK's requests cost in the service, and how long they take beside a floor that does only what cannot be left
 * out (`floor-worker.ts`): the same runtime, tables and rows, production, and every request byte for byte the same to
 * both, over one connection. Options measure something else instead.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { benchCapacity } from "./capacity.ts";
import { atMost, type Bench, type Goal, type Options, sum } from "./harness.ts";
import { benchCrowd, benchSoak } from "./load.ts";
import { endSessions, forgetLoads, travel } from "./passenger.ts";
import { compare, countsOf, printCounts } from "./report.ts";
import { type Side, toAll, withSides } from "./sides.ts";

/** Of a request's time over the floor's: less where a person waits for it. */
const MOST_RATIO = { awaited: 1.3, other: 1.5 } as const;
const AWAITED = /^\/v2\/(journeys|ebt-lookups|ebt-authorizations)/;
const mostRatio = (request: string) => MOST_RATIO[AWAITED.test(request) ? "awaited" : "other"];
/** Journeys before those that count. */
const WARM_UP = 5;
const ROUNDS = 45;

/** A second passenger takes the v2.0 tag over by a custody proof. */
const JOURNEYS = [
  { generation: "2.1", isTakenOver: false, most: { calls: 17, statements: 51, rowsWritten: 33 } },
  { generation: "2.0", isTakenOver: true, most: { calls: 29, statements: 93, rowsWritten: 76 } },
] as const;

export const service: Bench = {
  isTimed: true,
  async run({ rounds = ROUNDS, crowd, soak, capacity }: Options) {
    const goals: Goal[] = [];
    if (crowd !== undefined) goals.push(...(await benchCrowd(crowd, rounds)));
    if (soak !== undefined) goals.push(...(await benchSoak(soak)));
    if (capacity) goals.push(...(await benchCapacity()));
    const isElse = capacity || crowd !== undefined || soak !== undefined;
    return isElse ? goals : besideFloor(rounds);
  },
};

const besideFloor = (rounds: number): Promise<readonly Goal[]> =>
  withSides(["service", "floor"], async (sides) => {
    const [ours, floor] = sides as [Side, Side];
    const goals: Goal[] = [];
    for (const { generation, isTakenOver, most } of JOURNEYS) {
      const title = `v${generation} tag${isTakenOver ? ", taken over" : ""}`;
      await play(sides, { generation, isTakenOver }, WARM_UP);
      await play(sides, { generation, isTakenOver }, rounds);
      const counts = countsOf(ours, rounds);
      printCounts(`One journey, ${title}: calls, rows and bytes`, counts);
      for (const [what, limit] of Object.entries(most))
        goals.push(
          atMost(`${title}: ${what}`, sum(counts.map((one) => one[what as keyof typeof most])), limit),
        );
      goals.push(...compare(title, ours.took, floor.took, { most: mostRatio, rounds }));
    }
    return goals;
  });

interface Played {
  readonly generation: GattVersion;
  readonly isTakenOver: boolean;
}

/** Each side's requests and lines are then those of these journeys alone. */
async function play(sides: readonly Side[], played: Played, rounds: number): Promise<void> {
  for (const { took, lines } of sides) took.length = lines.length = 0;
  const [{ server }] = sides as readonly [Side, ...Side[]];
  const between = async () => {
    for (const side of sides) await endSessions(side.server);
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const side of sides) await forgetLoads(side.server);
    await travel(server, { ...played, send: toAll(sides), between });
  }
  // The last lines come after their answers.
  await sleep(1_000);
}
