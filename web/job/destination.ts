import type { Journey } from "../../sdk/index.ts";

/** Where the journey ends, as people call it in `locale`: the language's own name, the airline's, the English one. */
export function destinationOf(journey: Journey, locale: string): string {
  const { destinationCity, destinationNames: { en, ...others } = {} } = journey;
  return others[locale] ?? (destinationCity === undefined ? en : undefined) ?? shownCity(journey);
}

/**
 * The city on the label, in normal spelling: airlines send it in capitals. Without a city the label shows the airport's code
 * alone.
 */
export function shownCity({ destinationCity, destinationAirport, destinationNames }: Journey): string {
  if (destinationCity === undefined) return destinationAirport;
  if (destinationCity !== destinationCity.toUpperCase()) return destinationCity;
  const en = destinationNames?.en;
  if (en?.toUpperCase() === destinationCity) return en;
  return destinationCity.toLowerCase().replace(/(?<![\p{L}\p{M}])\p{L}/gu, (letter) => letter.toUpperCase());
}
