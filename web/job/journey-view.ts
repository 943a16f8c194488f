import { LABEL_FLAG, type LabelPayload } from "../../core/bag/payload.ts";
import { ticketPayload } from "../../core/bag/ticket-payload.ts";
import type { Journey } from "../../sdk/index.ts";
import type { FlightLeg } from "../ui/FlightLine.tsx";
import type { TagFace } from "../ui/TagDrawing.tsx";

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

/** A label in the form the drawing needs: the preview and the e-paper come from the same payload. */
export function faceOf(label: LabelPayload): TagFace {
  const segments = label.segments ?? [];
  const flags = label.flags ?? 0;
  return {
    destination: segments.at(-1)?.airport ?? "",
    city: label.destinationCity,
    legs: segments.map(({ flight, day, airport }) => ({ flight, date: day, airport })),
    from: label.from,
    name: label.name,
    locator: label.recordLocator,
    travelClass: label.travelClass,
    plate: label.licencePlate,
    readable: label.readable,
    greenEdge: (flags & LABEL_FLAG.EU_GREEN_EDGE) !== 0,
    priority: (flags & LABEL_FLAG.PRIORITY) !== 0,
  };
}

/** What the tag will show for this bag. */
export function previewOf(journey: Journey, bag: Journey["baggage"][number]): TagFace {
  return faceOf(ticketPayload(journey, bag, { showLocator: false }));
}

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
