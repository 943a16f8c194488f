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
