import type { Journey } from "../../sdk/index.ts";

/**
 * Where the journey ends, in normal spelling: airlines send cities in capitals. Without a city, the airport's
 * code.
 */
export function destinationOf({ destinationCity, destinationAirport }: Journey): string {
  if (destinationCity === undefined) return destinationAirport;
  if (destinationCity !== destinationCity.toUpperCase()) return destinationCity;
  return destinationCity.toLowerCase().replace(/(?<![\p{L}\p{M}])\p{L}/gu, (letter) => letter.toUpperCase());
}
