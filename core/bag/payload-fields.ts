import { parseLicencePlate } from "./licence-plate.ts";
import { TICKET_DAY } from "./ticket-date.ts";

/**
 * What a tag can show and how much of it (protocol.md, Payload). Lengths are in characters (code points). A field nobody knows
 * is absent; there is no empty text and no zero.
 */

/** Bits of {@link LabelPayload.flags}. */
export const LABEL_FLAG = { EU_GREEN_EDGE: 1, PRIORITY: 2 } as const;

/** One flight of a label: where `flight` on `day` takes the bag. */
export interface LabelSegment {
  /** Carrier and number, at most 8: `SK1234`. */
  readonly flight: string;
  /** `ddMMM` at the airport of departure: `03MAY`. */
  readonly day: string;
  /** IATA code of the airport of arrival. */
  readonly airport: string;
}

/** The content of a label. */
export interface LabelPayload {
  readonly kind: "write";
  /** Ten digits. */
  readonly licencePlate: string;
  /** `SURNAME/GIVEN`, at most 20. */
  readonly name?: string;
  /** At most 12. Half of the custody proof: absent unless the passenger asked for it. */
  readonly recordLocator?: string;
  /** Class of travel, at most 16. */
  readonly travelClass?: string;
  /** IATA code of the first airport. */
  readonly from?: string;
  /** One to three, in travel order; the last is the destination. */
  readonly segments?: readonly LabelSegment[];
  /** At most 20. */
  readonly destinationCity?: string;
  /** The plate as people read it, at most 15: `SK 123456`. */
  readonly readable?: string;
  /** Sum of {@link LABEL_FLAG}. */
  readonly flags?: number;
}

/** What a tag is told to show: a label, or nothing. */
export type TicketPayload = LabelPayload | { readonly kind: "clear" };

/** Longest texts, in characters. */
export const LABEL_LIMIT = {
  name: 20,
  recordLocator: 12,
  travelClass: 16,
  flight: 8,
  destinationCity: 20,
  readable: 15,
  segments: 3,
} as const;

const AIRPORT = /^[A-Z]{3}$/;
const FLIGHT = /^[A-Z0-9]{1,8}$/;

/** The first `limit` characters, never half of one. */
export function cut(text: string, limit: number): string {
  return [...text].slice(0, limit).join("");
}

/** Why `label` cannot stand on a tag, or undefined. Names the field, never its value. */
export function labelFault(label: LabelPayload): string | undefined {
  const faults: (string | false | undefined)[] = [
    plateFault(label.licencePlate),
    textFault("name", label.name, LABEL_LIMIT.name),
    textFault("recordLocator", label.recordLocator, LABEL_LIMIT.recordLocator),
    textFault("travelClass", label.travelClass, LABEL_LIMIT.travelClass),
    label.from !== undefined && !AIRPORT.test(label.from) && "from",
    label.segments !== undefined && segmentsFault(label.segments),
    textFault("destinationCity", label.destinationCity, LABEL_LIMIT.destinationCity),
    textFault("readable", label.readable, LABEL_LIMIT.readable),
    label.flags !== undefined && !isFlags(label.flags) && "flags",
  ];
  return faults.find((fault) => typeof fault === "string");
}

function plateFault(plate: string): string | undefined {
  try {
    parseLicencePlate(plate);
    return undefined;
  } catch {
    return "licencePlate";
  }
}

function textFault(field: string, text: string | undefined, limit: number): string | false {
  if (text === undefined) return false;
  // Control characters and halves of characters have no place on a display, and could hide text from a reader.
  const printable = text.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
  const length = [...text].length;
  return (!printable || length === 0 || length > limit) && field;
}

function segmentsFault(segments: readonly LabelSegment[]): string | false {
  if (segments.length === 0 || segments.length > LABEL_LIMIT.segments) return "segments";
  const sound = ({ flight, day, airport }: LabelSegment) =>
    FLIGHT.test(flight) && TICKET_DAY.test(day) && AIRPORT.test(airport);
  return !segments.every(sound) && "segments";
}

const isFlags = (flags: number) =>
  Number.isInteger(flags) && flags > 0 && flags <= (LABEL_FLAG.EU_GREEN_EDGE | LABEL_FLAG.PRIORITY);
