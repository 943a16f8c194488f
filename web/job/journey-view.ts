import type { LabelPayload } from "../../core/bag/payload.ts";
import { ticketPayload } from "../../core/bag/ticket-payload.ts";
import type { Journey } from "../../sdk/index.ts";
import type { FlightLeg } from "../ui/FlightLine.tsx";

/**
 * The flights, for a line from airport to airport. Days without times: the service knows moments, a boarding
 * pass the clock at the airport, and the two would differ.
 */
export function legsOf({ flights }: Journey, day: (date: string) => string): readonly FlightLeg[] {
  return flights.map(({ carrier, number, date, from, to }) => ({
    number: `${carrier} ${number}`,
    day: day(date),
    from,
    to,
  }));
}

export function routeOf({ departureAirport, flights }: Journey): string {
  return [departureAirport, ...flights.map(({ to }) => to)].join(" – ");
}

/** What the tag will show for this bag: the preview and the e-paper come from the same payload. */
export const previewOf = (journey: Journey, bag: Journey["baggage"][number]): LabelPayload =>
  ticketPayload(journey, bag, { showLocator: false });

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
