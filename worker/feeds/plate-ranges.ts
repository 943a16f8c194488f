import type { plateRanges } from "../../db/schema.ts";

/** Whose range a licence plate is of (rules §4). Only airlines with a row in `plate_ranges` count. */
export type PlateRange = Pick<
  typeof plateRanges.$inferSelect,
  "airline" | "leading" | "issuer" | "firstSerial" | "lastSerial"
>;

/** The airline whose range has the plate. */
export const ownerOf = (ranges: readonly PlateRange[], plate: string): string | undefined =>
  ranges.find(
    ({ leading, issuer, firstSerial, lastSerial }) =>
      plate.startsWith(`${leading}${issuer}`) &&
      firstSerial <= Number(plate.slice(4)) &&
      Number(plate.slice(4)) <= lastSerial,
  )?.airline;

interface Flown {
  readonly flights: readonly { readonly carrier: string }[];
}

/** The airlines whose plates the bags of a booking may carry: its own, and those of its flights and of `more`. */
export function carriersOf(
  { airline, journeys }: { readonly airline: string; readonly journeys: readonly Flown[] },
  more: Flown["flights"] = [],
): ReadonlySet<string> {
  const flights = [...journeys.flatMap((journey) => journey.flights), ...more];
  return new Set([airline, ...flights.map(({ carrier }) => carrier)]);
}
