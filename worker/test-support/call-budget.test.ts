import { afterEach, expect, it } from "vitest";
import { countCalls, forgetTrips, overBudget } from "./call-budget.ts";

/** After every file of this project its requests' D1 calls are checked; these are the rules of that check. */

afterEach(forgetTrips);

const [LOOKUP, UNLOCK, OTHER] = ["/v2/ebt-lookups", "/v2/ebt-unlocks", "/v2/device-losses"];
it.each([
  ["a look-up one", LOOKUP, 200, 1, 0],
  ["a refused one its audit row", LOOKUP, 401, 2, 0],
  ["a commit of the lock two", UNLOCK, 200, 2, 0],
  ["other requests three", OTHER, 200, 3, 0],
  ["a refused one its audit row", OTHER, 403, 4, 0],
  ["what a conflict costs", LOOKUP, 200, 3, 2],
])("allows %s, and catches one more: %s, %i", (_, route, status, calls, again) => {
  countCalls({ route, status, calls, again });
  countCalls({ route, status, calls: 0 });
  expect(overBudget()).toEqual([]);
  countCalls({ route, status, calls: calls + 1, again });
  const name = status < 400 ? route : `${route} refused`;
  // A refused look-up is as other refused requests.
  expect(overBudget()).toEqual(name === `${LOOKUP} refused` ? [] : [[name, calls + 1 - again]]);
});
