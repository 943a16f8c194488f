import { type Bytes, copyBytes, equalBytes } from "../encoding/bytes.ts";
import { CborReader, encodeArray, encodeInt, encodeMap, encodeTstr } from "../encoding/cbor.ts";
import { BagError } from "./errors.ts";
import { parseLicencePlate } from "./licence-plate.ts";

/**
 * What a tag can show and how long each text may be (protocol.md, Payload). Lengths are in characters (code
 * points). A field whose value is unknown is absent; there is no empty text and no zero.
 */

/** In English, in order of the months. */
export const MONTHS = [
  "JAN",
  "FEB",
  "MAR",
  "APR",
  "MAY",
  "JUN",
  "JUL",
  "AUG",
  "SEP",
  "OCT",
  "NOV",
  "DEC",
] as const;

/** A day as tags show it: two digits and an English month, `03MAY`. */
export const TICKET_DAY = new RegExp(`^(0[1-9]|[12][0-9]|3[01])(${MONTHS.join("|")})$`);

/** Bits of {@link LabelPayload.flags}. */
export const LABEL_FLAG = { EU_GREEN_EDGE: 1, PRIORITY: 2 } as const;

/** One flight of a label: where `flight` takes the bag on `day`. */
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
  /** At most 12. Half of the custody proof: absent unless the passenger asked to show it. */
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

/** What a tag is to show: a label, or nothing. */
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

/** The first `limit` characters; never cuts a character in half. */
export function cut(text: string, limit: number): string {
  return [...text].slice(0, limit).join("");
}

/** Why a tag cannot show `label`, or undefined if it can. Names the field, never its value. */
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
  // Control characters and unpaired surrogates have no place on a display, and could hide text from a reader.
  const printable = !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text);
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

/*
 * payload = { 0: 1 / 2, 1: plate, ? 2: name, ? 3: locator, ? 4: class, ? 5: from,
 *             ? 6: [1*3 [flight, "ddMMM", airport]], ? 7: city, ? 8: readable, ? 9: flags }        (protocol.md, Payload)
 * Deterministic CBOR (RFC 8949 §4.2.1); a clear is { 0: 2 }.
 */
const KIND = { write: 1, clear: 2 } as const;
const SEGMENTS = 6;
const FLAGS = 9;
/** Key → field, for the plain texts. */
const TEXTS = [
  [1, "licencePlate"],
  [2, "name"],
  [3, "recordLocator"],
  [4, "travelClass"],
  [5, "from"],
  [7, "destinationCity"],
  [8, "readable"],
] as const;

/** No payload within the limits is longer, even with four-byte characters. */
const LONGEST = 512;

/**
 * The bytes that are sent to a tag and hashed into a digest. Throws {@link BagError} `PAYLOAD` for a label
 * over its limits.
 */
export function encodePayload(payload: TicketPayload): Bytes {
  if (payload.kind === "clear") return encodeMap([encodeInt(0), encodeInt(KIND.clear)]);
  const fault = labelFault(payload);
  if (fault !== undefined) throw new BagError("PAYLOAD", `${fault} cannot stand on a tag`);
  const items = new Map<number, Bytes>([[0, encodeInt(KIND.write)]]);
  for (const [key, field] of TEXTS) {
    const text = payload[field];
    if (text !== undefined) items.set(key, encodeTstr(text));
  }
  if (payload.segments) items.set(SEGMENTS, encodeArray(...payload.segments.map(encodeSegment)));
  if (payload.flags !== undefined) items.set(FLAGS, encodeInt(payload.flags));
  const ascending = [...items].sort(([a], [b]) => a - b);
  return encodeMap(...ascending.map(([key, item]) => [encodeInt(key), item] as const));
}

function encodeSegment({ flight, day, airport }: LabelSegment): Bytes {
  return encodeArray(encodeTstr(flight), encodeTstr(day), encodeTstr(airport));
}

/**
 * The payload in `bytes`. Throws {@link BagError} `PAYLOAD` unless every byte is what {@link encodePayload}
 * would have written: it refuses unknown keys, surplus bytes, longer encodings and fields over their limits.
 */
export function decodePayload(bytes: Uint8Array): TicketPayload {
  if (bytes.length > LONGEST) throw new BagError("PAYLOAD", "too long");
  let payload: TicketPayload;
  try {
    payload = read(new CborReader(bytes));
  } catch (cause) {
    throw cause instanceof BagError ? cause : new BagError("PAYLOAD", "not CBOR of this shape", cause);
  }
  // The reader does not check the order and repetition of keys: this comparison does.
  if (!equalBytes(encodePayload(payload), bytes)) throw new BagError("PAYLOAD", "not deterministic");
  return payload;
}

/** SHA-256 of an encoded payload, as tokens and commits carry it. */
export async function payloadDigest(encoded: Bytes): Promise<Bytes> {
  return copyBytes(await crypto.subtle.digest("SHA-256", encoded));
}

function read(cbor: CborReader): TicketPayload {
  let pairs = cbor.map();
  if (pairs === 0 || cbor.int() !== 0) throw new BagError("PAYLOAD", "kind missing");
  const kind = cbor.int();
  if (kind === KIND.clear && pairs === 1) return { kind: "clear" };
  if (kind !== KIND.write) throw new BagError("PAYLOAD", "neither a write nor a clear");
  const label: { -readonly [K in keyof LabelPayload]: LabelPayload[K] } = { kind: "write", licencePlate: "" };
  while (--pairs > 0) {
    const key = cbor.int();
    const text = TEXTS.find(([number]) => number === key);
    if (text) label[text[1]] = cbor.tstr();
    else if (key === SEGMENTS) label.segments = readSegments(cbor);
    else if (key === FLAGS) label.flags = cbor.uint();
    else throw new BagError("PAYLOAD", "unknown key");
  }
  cbor.end();
  return label;
}

function readSegments(cbor: CborReader): LabelSegment[] {
  const segments: LabelSegment[] = [];
  for (let n = cbor.array(); n > 0; n--) {
    if (cbor.array() !== 3) throw new BagError("PAYLOAD", "a segment has three parts");
    segments.push({ flight: cbor.tstr(), day: cbor.tstr(), airport: cbor.tstr() });
  }
  return segments;
}
