import { expect, it } from "vitest";
import { countTrips, overBudget, type WorstTrips } from "../test-support/trip-budget.ts";

/** After every file of this project its requests' round trips are judged; here, what that judges by. */

const LOOKUP = "/v2/ebt-lookups";
const UNLOCK = "/v2/ebt-unlocks";

const judge = (...lines: readonly (readonly [string, number, number])[]) => {
  const worst: WorstTrips = new Map();
  for (const [route, status, trips] of lines) countTrips({ route, status, trips }, worst);
  return overBudget(worst);
};

it("allows a look-up one trip, and a refused one its audit row", () => {
  expect(judge([LOOKUP, 200, 1], [LOOKUP, 401, 2])).toEqual([]);
});

it("catches a look-up that goes twice", () => {
  expect(judge([LOOKUP, 200, 1], [LOOKUP, 200, 2], [LOOKUP, 200, 1])).toEqual([[LOOKUP, 2]]);
});

it("allows other requests three, and catches four", () => {
  expect(judge([UNLOCK, 200, 3])).toEqual([]);
  expect(judge([UNLOCK, 403, 4])).toEqual([[`${UNLOCK} refused`, 4]]);
});
