/**
 * Build-time only. What the service reads of airports (worker/journeys/places.ts), and no page loads: the names of cities,
 * one file for each first letter of an airport's code; and the operator's list of airports that accept electronic tags.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** The names of an airport's city by language; English is always there. */
type CityNames = Readonly<Record<string, string>>;
type Cities = Readonly<Record<string, CityNames>>;

/** Made by write-cities.ts. */
const CITIES = join(import.meta.dirname, "cities.tsv");
/** Of the sets that it is made from: they accompany every copy. */
const LICENCES = join(import.meta.dirname, "cities-licences.txt");
const BRANDING = join(import.meta.dirname, "../../web/public/branding");
/** The operator's: `{ "EWR": { "en": "New York" } }` (docs/brand.md). */
const OWN_CITIES = join(BRANDING, "cities.json");
/** The operator's list of airports at which an airline accepts electronic tags: `{ "SK": ["OSL", "ARN"] }` (docs/acceptance.md). */
const EBT_AIRPORTS = join(BRANDING, "ebt-airports.json");

export function places(): Plugin {
  return {
    name: "taglatch:places",
    apply: "build",
    applyToEnvironment: ({ name }) => name === "client",
    buildStart() {
      if (existsSync(EBT_AIRPORTS)) requireEbtAirports(readFileSync(EBT_AIRPORTS, "utf8"));
    },
    generateBundle() {
      const own = existsSync(OWN_CITIES) ? readFileSync(OWN_CITIES, "utf8") : "{}";
      for (const [letter, source] of Object.entries(cityFiles(readFileSync(CITIES, "utf8"), own)))
        this.emitFile({ type: "asset", fileName: `cities/${letter}.json`, source });
      this.emitFile({ type: "asset", fileName: "cities/licences.txt", source: readFileSync(LICENCES) });
    },
  };
}

/** Throws Error for a file that is wrong: a misspelled airport would warn every passenger there. */
export function requireEbtAirports(json: string): void {
  for (const [airline, airports] of Object.entries(JSON.parse(json) as Record<string, unknown>)) {
    const isList = Array.isArray(airports) && airports.every((code) => /^[A-Z]{3}$/.test(String(code)));
    if (!(/^[A-Z0-9]{2}[A-Z]?$/.test(airline) && isList))
      throw new Error(`branding/ebt-airports.json: ${airline} is no airline with a list of airports`);
  }
}

/** The files by the letter that their airports begin with; a name of `own` replaces the set's. Throws Error if it is none. */
export function cityFiles(tsv: string, own: string): Readonly<Record<string, string>> {
  const set = readCities(tsv);
  const owned = Object.entries(readOwn(own)).map(([airport, names]) => [
    airport,
    { ...set[airport], ...names },
  ]);
  const all = Object.entries({ ...set, ...Object.fromEntries(owned) } as Cities);
  const byLetter = Map.groupBy(all, ([airport]) => airport.slice(0, 1));
  return Object.fromEntries(
    [...byLetter].map(([letter, airports]) => [letter, JSON.stringify(Object.fromEntries(airports))]),
  );
}

function readCities(tsv: string): Cities {
  const rows = tsv.split("\n").filter((line) => line !== "");
  return Object.fromEntries(
    rows.map((line) => {
      const [airport = "", en = "", ...others] = line.split("\t");
      return [airport, { en, ...Object.fromEntries(others.map((name) => name.split("="))) }];
    }),
  );
}

function readOwn(json: string): Cities {
  const own = JSON.parse(json) as Cities;
  for (const [airport, names] of Object.entries(own)) {
    const isCity = /^[A-Z]{3}$/.test(airport) && typeof names.en === "string";
    if (!(isCity && Object.values(names).every((name) => typeof name === "string" && name !== "")))
      throw new Error(`branding/cities.json: ${airport} is no airport with names, English among them`);
  }
  return own;
}
