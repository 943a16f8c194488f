import type { Journey, JourneyBag, JourneyFlight } from "../api/journeys.ts";
import {
  cut,
  LABEL_LIMIT,
  type LabelPayload,
  type LabelSegment,
  type TicketPayload,
} from "./payload-fields.ts";
import { ticketDay } from "./ticket-date.ts";

/** The parts of a Journey a label is made of. */
export type LabelJourney = Pick<
  Journey,
  "recordLocator" | "passenger" | "departureAirport" | "destinationCity" | "cabin"
> & { readonly flights: readonly JourneyFlight[] };
/** The parts of a bag a label is made of. */
export type LabelBag = Pick<JourneyBag, "licencePlate" | "readable" | "flags">;

/**
 * The label of `bag` on `journey` (protocol.md, Payload, rules §4): the same function on the page and in the service, so
 * that both arrive at the same bytes. What the journey does not say stays absent; what is too long is cut.
 * Throws BagError `DATE` where a flight's date is none.
 */
export function ticketPayload(
  journey: LabelJourney,
  bag: LabelBag,
  { showLocator }: { readonly showLocator: boolean },
): LabelPayload {
  const label: Writable<LabelPayload> = { kind: "write", licencePlate: bag.licencePlate };
  const texts = {
    // A cut just after the surname leaves no dangling slash.
    name: printed(passengerName(journey.passenger), LABEL_LIMIT.name).replace(/\/$/, ""),
    recordLocator: showLocator ? printed(journey.recordLocator, LABEL_LIMIT.recordLocator) : "",
    travelClass: printed(journey.cabin ?? "", LABEL_LIMIT.travelClass),
    from: journey.departureAirport.trim().toUpperCase(),
    destinationCity: printed(journey.destinationCity ?? "", LABEL_LIMIT.destinationCity),
    readable: printed(bag.readable ?? "", LABEL_LIMIT.readable),
  };
  for (const field of Object.keys(texts) as (keyof typeof texts)[]) {
    if (texts[field] !== "") label[field] = texts[field];
  }
  const segments = labelSegments(journey.flights);
  if (segments.length > 0) label.segments = segments;
  if (bag.flags !== undefined && bag.flags !== 0) label.flags = bag.flags;
  return label;
}

/** The payload that empties a tag. */
export function clearPayload(): TicketPayload {
  return { kind: "clear" };
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const printed = (text: string, limit: number) =>
  cut(text.normalize("NFC").replace(/\s+/gu, " ").trim().toUpperCase(), limit).trim();

function passengerName({ surname, givenName }: Journey["passenger"]): string {
  return givenName.trim() === "" ? surname : `${surname}/${givenName}`;
}

/** At most three: of a longer journey the next two airports and the last, which is where the bag must end up. */
function labelSegments(flights: LabelJourney["flights"]): LabelSegment[] {
  const shown =
    flights.length > LABEL_LIMIT.segments ? [...flights.slice(0, 2), ...flights.slice(-1)] : flights;
  return shown.map(({ carrier, number, date, to }) => ({
    flight: cut(`${carrier}${number}`.replace(/\s+/gu, "").toUpperCase(), LABEL_LIMIT.flight),
    day: ticketDay(date),
    airport: to.trim().toUpperCase(),
  }));
}
