/**
 * Build-time only. Verifies the operator's list of airports at which an airline accepts electronic tags (docs/acceptance.md),
 * which the service reads (worker/journeys/places.ts): `{ "SK": ["OSL", "ARN"] }`.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const OWN = join(import.meta.dirname, "../../web/public/branding/ebt-airports.json");

export function ebtAirports(): Plugin {
  return {
    name: "taglatch:ebt-airports",
    apply: "build",
    buildStart() {
      if (existsSync(OWN)) requireEbtAirports(readFileSync(OWN, "utf8"));
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
