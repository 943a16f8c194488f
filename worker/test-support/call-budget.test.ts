import { expect, it } from "vitest";
import { countCalls, overBudget, type WorstCalls } from "./call-budget.ts";

/** After every file of this project its requests' D1 calls are checked; these are the rules of that check. */

const LOOKUP = "/v2/ebt-lookups";
const UNLOCK = "/v2/ebt-unlocks";
const OTHER = "/v2/device-losses";

const exceeded = (...lines: readonly (readonly [string, number, number])[]) => {
  const worst: WorstCalls = new Map();
  for (const [route, status, calls] of lines) countCalls({ route, status, calls }, worst);
  return overBudget(worst);
};

it("allows a look-up one call, and a refused one its audit row", () => {
  expect(exceeded([LOOKUP, 200, 1], [LOOKUP, 401, 2])).toEqual([]);
});

it("catches a look-up with two calls", () => {
  expect(exceeded([LOOKUP, 200, 1], [LOOKUP, 200, 2], [LOOKUP, 200, 1])).toEqual([[LOOKUP, 2]]);
});

it("allows a commit of the lock two, other requests three, a refused one its audit row, and catches one more", () => {
  expect(exceeded([UNLOCK, 200, 2], [OTHER, 200, 3], [OTHER, 403, 4])).toEqual([]);
  expect(exceeded([UNLOCK, 200, 3])).toEqual([[UNLOCK, 3]]);
  expect(exceeded([OTHER, 200, 4])).toEqual([[OTHER, 4]]);
  expect(exceeded([OTHER, 403, 5])).toEqual([[`${OTHER} refused`, 5]]);
});

it("does not count what a conflict costs", () => {
  const worst: WorstCalls = new Map();
  countCalls({ route: LOOKUP, status: 200, calls: 3, again: 2 }, worst);
  expect(overBudget(worst)).toEqual([]);
  countCalls({ route: LOOKUP, status: 200, calls: 3, again: 1 }, worst);
  expect(overBudget(worst)).toEqual([[LOOKUP, 2]]);
});
