import { type Bytes, copyBytes, equalBytes } from "../encoding/bytes.ts";
import { CborReader, encodeArray, encodeInt, encodeMap, encodeTstr } from "../encoding/cbor.ts";
import { BagError } from "./errors.ts";
import { type LabelPayload, type LabelSegment, labelFault, type TicketPayload } from "./payload-fields.ts";

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

/** The bytes that go to a tag and into a digest. Throws {@link BagError} `PAYLOAD` for a label over its limits. */
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
 * The payload in `bytes`; throws {@link BagError} `PAYLOAD` unless every byte is what {@link encodePayload} would
 * have written: unknown keys, surplus bytes, longer encodings and fields over their limits are all refused.
 */
export function decodePayload(bytes: Uint8Array): TicketPayload {
  if (bytes.length > LONGEST) throw new BagError("PAYLOAD", "too long");
  let payload: TicketPayload;
  try {
    payload = read(new CborReader(bytes));
  } catch (cause) {
    throw cause instanceof BagError ? cause : new BagError("PAYLOAD", "not CBOR of this shape", cause);
  }
  // The reader leaves the order of keys and their repetition to this comparison.
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
