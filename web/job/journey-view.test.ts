import { expect, test } from "vitest";
import { LOVELACE } from "../test-support/fake-taglatch.ts";
import { destinationOf, shownCity } from "./journey-view.ts";

test.each([
  ["HELSINKI", "Helsinki"],
  ["NEW YORK", "New York"],
  ["KØBENHAVN", "København"],
  ["FORT-DE-FRANCE", "Fort-De-France"],
  ["Rio de Janeiro", "Rio de Janeiro"],
])("the city %s is written %s", (destinationCity, written) => {
  expect(destinationOf({ ...LOVELACE, destinationCity }, "en")).toBe(written);
});

const { destinationCity: _none, ...WITHOUT_CITY } = LOVELACE;
const NAMES = { en: "Helsinki", nb: "Helsingfors" };

test("a journey without a city is named by its airport's, in the reader's language", () => {
  const journey = { ...WITHOUT_CITY, destinationNames: NAMES };
  expect(["en", "de", "nb"].map((locale) => destinationOf(journey, locale))).toEqual([
    "Helsinki",
    "Helsinki",
    "Helsingfors",
  ]);
  expect(destinationOf(WITHOUT_CITY, "en")).toBe("HEL");
});

test("the airline's own name of a city comes before the English one, and after the reader's", () => {
  const journey = { ...LOVELACE, destinationCity: "HELSINKI VANTAA", destinationNames: NAMES };
  expect(destinationOf(journey, "en")).toBe("Helsinki Vantaa");
  expect(destinationOf(journey, "nb")).toBe("Helsingfors");
});

test("what the tag shows is what the airline has printed, spelt as people do", () => {
  const names = { en: "Fort-de-France" };
  expect(shownCity({ ...LOVELACE, destinationCity: "FORT-DE-FRANCE", destinationNames: names })).toBe(
    names.en,
  );
  expect(shownCity({ ...WITHOUT_CITY, destinationNames: NAMES })).toBe("HEL");
});
