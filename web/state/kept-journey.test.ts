import { expect, test } from "vitest";
import { LOVELACE } from "../test-support/journeys.ts";
import { endOf, keepJourney, readKeptJourney } from "./kept-journey.ts";

test("a journey is kept until its tag counts no more, and then it is erased, not merely passed over", async () => {
  const kept = { journey: LOVELACE, asOf: 1_000 };
  const end = endOf(LOVELACE);
  await keepJourney(kept);
  expect(await readKeptJourney(end - 1)).toEqual(kept);
  expect(await readKeptJourney(end)).toBeUndefined();
  expect(await readKeptJourney(end - 1)).toBeUndefined();
});
