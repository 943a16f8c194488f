import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LOCALES } from "../../core/api/locales.ts";
import { cityFiles, requireEbtAirports } from "./places.ts";

const SET = readFileSync(join(import.meta.dirname, "cities.tsv"), "utf8");
const read = (own = "{}") => {
  const files = cityFiles(SET, own);
  return (airport: string) => JSON.parse(files[airport.slice(0, 1)] ?? "{}")[airport];
};

test.each([
  ["LHR", "London", "fr", "Londres"],
  ["CPH", "Copenhagen", "de", "Kopenhagen"],
  ["NRT", "Tokyo", "ja", "東京"],
  // In a suburb that no ticket names.
  ["YYZ", "Toronto", "zh", "多伦多"],
])("%s is %s, in %s %s", (airport, english, locale, other) => {
  expect(read()(airport)).toMatchObject({ en: english, [locale]: other });
});

test("a language without a name of its own has the English one", () => {
  expect(read()("MUC")).toEqual({ en: "Munich" });
});

test("the operator's names come before the set's, language by language", () => {
  const own = { LHR: { en: "London Heathrow" }, EWR: { en: "New York" }, QQQ: { en: "Our Field" } };
  const cityOf = read(JSON.stringify(own));
  expect([cityOf("EWR"), cityOf("QQQ")]).toEqual([own.EWR, own.QQQ]);
  expect(cityOf("LHR")).toMatchObject({ en: "London Heathrow", fr: "Londres" });
  expect(() => read(JSON.stringify({ ewr: { en: "New York" } }))).toThrow("ewr");
  expect(() => read(JSON.stringify({ EWR: { de: "New York" } }))).toThrow("EWR");
});

test("names are in ordinary case, one a language, and no line is broken", () => {
  const lines = SET.trimEnd().split("\n");
  const wrong = lines.filter((line) => {
    const [airport = "", english = "", ...others] = line.split("\t");
    const languages = others.map((name) => name.split("=")[0]);
    const isOrdinary = /[^A-Z]/.test(english.slice(1)) && english.length <= 40;
    const areKnown = languages.every((language) => LOCALES.some((locale) => locale === language));
    return !(/^[A-Z]{3}$/.test(airport) && isOrdinary && areKnown);
  });
  expect(wrong).toEqual([]);
  expect(lines.length).toBeGreaterThan(7_000);
});

test("a list of airports for each airline passes, an empty one too", () => {
  expect(() => requireEbtAirports('{ "SK": ["OSL", "ARN"], "U2": [] }')).not.toThrow();
});

test.each([
  ['{ "sk": ["OSL"] }', "sk"],
  ['{ "SK": ["Oslo"] }', "SK"],
  ['{ "SK": "OSL" }', "SK"],
  ['["OSL"]', "0"],
  ['{ "SK": ["OSL"]', "JSON"],
])("%s ends the build and names what is wrong", (file, named) => {
  expect(() => requireEbtAirports(file)).toThrow(named);
});
