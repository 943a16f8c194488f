import { expect, test } from "vitest";
import { LOVELACE } from "../test-support/journeys.ts";
import { destinationOf } from "./journey-view.ts";

test.each([
  ["HELSINKI", "Helsinki"],
  ["NEW YORK", "New York"],
  ["KØBENHAVN", "København"],
  ["FORT-DE-FRANCE", "Fort-De-France"],
  ["Rio de Janeiro", "Rio de Janeiro"],
])("the city %s is written %s", (destinationCity, written) => {
  expect(destinationOf({ ...LOVELACE, destinationCity })).toBe(written);
});

test("a journey without a city is named by its airport", () => {
  const { destinationCity: _none, ...journey } = LOVELACE;
  expect(destinationOf(journey)).toBe("HEL");
});
