import type { Journey, JourneyBag, JourneyFlight } from "../api/journeys.ts";
import { BagError } from "./errors.ts";
import {
  cut,
  LABEL_LIMIT,
  type LabelPayload,
  type LabelSegment,
  MONTHS,
  type TicketPayload,
} from "./payload.ts";

/** The parts of a Journey that a label is made of. */
export type LabelJourney = Pick<
  Journey,
  "recordLocator" | "passenger" | "departureAirport" | "destinationCity" | "cabin"
> & { readonly flights: readonly JourneyFlight[] };
/** The parts of a bag that a label is made of. */
export type LabelBag = Pick<JourneyBag, "licencePlate" | "readable" | "flags">;

/**
 * The label of `bag` on `journey` (protocol.md, Payload, rules §4). Page and service use the same function,
 * so that both arrive at the same bytes. What the journey does not say stays absent; what is too long is cut.
 * Throws BagError `DATE` where a flight's date is no day.
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

/** At most three: of a longer journey the next two airports and the last, where the bag must end up. */
function labelSegments(flights: LabelJourney["flights"]): LabelSegment[] {
  const shown =
    flights.length > LABEL_LIMIT.segments ? [...flights.slice(0, 2), ...flights.slice(-1)] : flights;
  return shown.map(({ carrier, number, date, to }) => ({
    flight: cut(`${carrier}${number}`.replace(/\s+/gu, "").toUpperCase(), LABEL_LIMIT.flight),
    day: ticketDay(date),
    airport: to.trim().toUpperCase(),
  }));
}

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;
const SLASHED = /^(\d{2})\/(\d{2})\/(\d{4})$/;
const ZONED = /^(.+(?:Z|[+-]\d{2}:\d{2}))\[([A-Za-z0-9_+/-]+)\]$/;

/**
 * `ddMMM` of `date`: an ISO 8601 day, date-time (naive or with offset), date-time with `[Zone]`, or
 * `dd/MM/yyyy`. The day is the airport's: the one written or, where a zone is named, the day of the instant
 * in that zone. Throws {@link BagError} `DATE` for anything else.
 */
export function ticketDay(date: string): string {
  const zoned = ZONED.exec(date);
  if (zoned) return dayInZone(zoned[1] as string, zoned[2] as string);
  const iso = ISO.exec(date);
  if (iso) return dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const slashed = SLASHED.exec(date);
  if (slashed) return dayOf(Number(slashed[3]), Number(slashed[2]), Number(slashed[1]));
  throw new BagError("DATE", "not a date in any accepted spelling");
}

function dayOf(year: number, month: number, day: number): string {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day)
    throw new BagError("DATE", "no such day");
  return `${String(day).padStart(2, "0")}${MONTHS[month - 1]}`;
}

function dayInZone(instant: string, timeZone: string): string {
  const time = ISO.test(instant) ? Date.parse(instant) : Number.NaN;
  if (Number.isNaN(time)) throw new BagError("DATE", "not an instant");
  const parts = partsInZone(time, timeZone);
  const value = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value);
  return dayOf(value("year"), value("month"), value("day"));
}

function partsInZone(time: number, timeZone: string): Intl.DateTimeFormatPart[] {
  const options = {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    year: "numeric",
    month: "numeric",
    day: "numeric",
  } as const;
  try {
    return new Intl.DateTimeFormat("en", options).formatToParts(time);
  } catch (cause) {
    throw new BagError("DATE", "no such time zone", cause);
  }
}
