/**
 * The contents of APP records: typed items on one side, deterministic CBOR arrays on the other. Knows nothing of
 * keys. Whatever is not exactly a record of the expected direction is `RECORD`.
 *
 * ```cddl
 * app-i2r = [1, token: bstr] / [2, offset: uint, data: bstr] / [3, sha256: bstr .size 32, total: uint] / [4] / [5]
 *         / [6, challenge: bstr .size 16]
 * app-r2i = [16, { 1: nonce bstr .size 16, 2: ttl uint, 3: id tstr, 4: [2, 1], 5: SHA-256(INFO), 6: commits uint,
 *                  7: mark bstr .size 32 / null }] / [17, status: uint, ? detail: uint] / [18, statement: bstr]
 * ```
 */
import { type Bytes, equalBytes } from "../encoding/bytes.ts";
import {
  CborError,
  CborReader,
  encodeArray,
  encodeBstr,
  encodeInt,
  encodeMap,
  encodeSimple,
  encodeTstr,
} from "../encoding/cbor.ts";
import { SecError } from "./errors.ts";

/** Kinds of records, Initiator to Responder 1–6, Responder to Initiator 16–18. Kind 2 travels on DATA, all others on SEC. */
export const RECORD_KIND = {
  token: 1,
  data: 2,
  commit: 3,
  abort: 4,
  fresh: 5,
  challenge: 6,
  hello: 16,
  status: 17,
  statement: 18,
} as const;

/** What the client says. */
export type InitiatorRecord =
  | { readonly kind: "token"; readonly token: Bytes }
  /** `offset` in bytes into the payload. */
  | { readonly kind: "data"; readonly offset: number; readonly data: Bytes }
  /** SHA-256 and length in bytes of the whole payload. */
  | { readonly kind: "commit"; readonly sha256: Bytes; readonly total: number }
  | { readonly kind: "abort" }
  /** Asks for a new nonce. */
  | { readonly kind: "fresh" }
  /** Asks for the tag's statement over these 16 bytes. */
  | { readonly kind: "challenge"; readonly challenge: Bytes };

/** What the tag says first, and after each request for a new nonce. */
export interface Hello {
  readonly kind: "hello";
  /** 16 bytes for the transaction token. */
  readonly nonce: Bytes;
  /** Seconds the nonce lives. */
  readonly ttl: number;
  /** The tag's id, as its certificate has it. */
  readonly id: string;
  /** Commits since manufacture. */
  readonly commits: number;
  /** The mark of the last commit (32 bytes, `commitMark` of statement.ts), null where none was. */
  readonly mark: Bytes | null;
}

/** What the tag says. The version and SHA-256(INFO) of a hello are written and checked by the channel. */
export type ResponderRecord =
  | Hello
  /** A code of the profile's STATUS table, and its optional detail. */
  | { readonly kind: "status"; readonly status: number; readonly detail?: number }
  /** What the tag signs of its last commit, for `decodeStatement`. */
  | { readonly kind: "statement"; readonly statement: Bytes };

/** The version that a hello states: GATT 2.1. */
const VERSION = encodeArray(encodeInt(2), encodeInt(1));

export function encodeInitiatorRecord(record: InitiatorRecord): Bytes {
  const kind = encodeInt(RECORD_KIND[record.kind]);
  switch (record.kind) {
    case "token":
      return encodeArray(kind, encodeBstr(record.token));
    case "data":
      return encodeArray(kind, encodeInt(unsigned(record.offset)), encodeBstr(record.data));
    case "commit":
      return encodeArray(kind, encodeBstr(exactly(record.sha256, 32)), encodeInt(unsigned(record.total)));
    case "challenge":
      return encodeArray(kind, encodeBstr(exactly(record.challenge, 16)));
    case "abort":
    case "fresh":
      return encodeArray(kind);
  }
}

/** `infoDigest` is SHA-256 of INFO as it counts for this channel. */
export function decodeResponderRecord(bytes: Bytes, infoDigest: Bytes): ResponderRecord {
  return decoding(bytes, (reader, count) => {
    const kind = reader.uint();
    if (kind === RECORD_KIND.hello && count === 2) return readHello(reader, infoDigest);
    if (kind === RECORD_KIND.status && (count === 2 || count === 3)) {
      const status = reader.uint();
      return count === 2 ? { kind: "status", status } : { kind: "status", status, detail: reader.uint() };
    }
    if (kind === RECORD_KIND.statement && count === 2) return { kind: "statement", statement: reader.bstr() };
    throw new CborError("no record of the tag");
  });
}

function readHello(reader: CborReader, infoDigest: Bytes): Hello {
  if (reader.map() !== 7) throw new CborError("a hello has seven entries");
  const key = (expected: number) => {
    if (reader.uint() !== expected) throw new CborError("keys of a hello");
  };
  key(1);
  const nonce = sized(reader.bstr(), 16);
  key(2);
  const ttl = reader.uint();
  key(3);
  const id = reader.tstr();
  key(4);
  if (!equalBytes(reader.raw(), VERSION)) throw new CborError("another version than 2.1");
  key(5);
  if (!equalBytes(reader.bstr(), infoDigest)) throw new CborError("another INFO than the one that was read");
  key(6);
  const commits = reader.uint();
  key(7);
  const mark = reader.peek() === "simple" ? readNull(reader) : sized(reader.bstr(), 32);
  return { kind: "hello", nonce, ttl, id, commits, mark };
}

function readNull(reader: CborReader): null {
  if (reader.simple() !== null) throw new CborError("null belongs here");
  return null;
}

function exactly(bytes: Bytes, length: number): Bytes {
  if (bytes.length !== length) throw new RangeError(`not ${length} bytes`);
  return bytes;
}

function unsigned(value: number): number {
  if (value < 0) throw new RangeError("negative");
  return value;
}

function sized(bytes: Bytes, length: number): Bytes {
  if (bytes.length !== length) throw new CborError(`not ${length} bytes`);
  return bytes;
}

function decoding<Item>(bytes: Bytes, read: (reader: CborReader, count: number) => Item): Item {
  try {
    const reader = new CborReader(bytes);
    const item = read(reader, reader.array());
    reader.end();
    return item;
  } catch (cause) {
    if (cause instanceof CborError) throw new SecError("RECORD", { message: cause.message, cause });
    throw cause;
  }
}

export function decodeInitiatorRecord(bytes: Bytes): InitiatorRecord {
  return decoding(bytes, (reader, count) => {
    const kind = reader.uint();
    if (kind === RECORD_KIND.token && count === 2) return { kind: "token", token: reader.bstr() };
    if (kind === RECORD_KIND.data && count === 3) {
      return { kind: "data", offset: reader.uint(), data: reader.bstr() };
    }
    if (kind === RECORD_KIND.commit && count === 3) {
      return { kind: "commit", sha256: sized(reader.bstr(), 32), total: reader.uint() };
    }
    if (kind === RECORD_KIND.abort && count === 1) return { kind: "abort" };
    if (kind === RECORD_KIND.fresh && count === 1) return { kind: "fresh" };
    if (kind === RECORD_KIND.challenge && count === 2) {
      return { kind: "challenge", challenge: sized(reader.bstr(), 16) };
    }
    throw new CborError("no record of the client");
  });
}

/** `infoDigest` is SHA-256 of INFO as bound into this channel. */
export function encodeResponderRecord(record: ResponderRecord, infoDigest: Bytes): Bytes {
  const kind = encodeInt(RECORD_KIND[record.kind]);
  if (record.kind === "hello") return encodeArray(kind, encodeHello(record, infoDigest));
  if (record.kind === "statement") return encodeArray(kind, encodeBstr(record.statement));
  const detail = record.detail === undefined ? [] : [encodeInt(unsigned(record.detail))];
  return encodeArray(kind, encodeInt(unsigned(record.status)), ...detail);
}

function encodeHello(hello: Hello, infoDigest: Bytes): Bytes {
  const { nonce, ttl, id, commits, mark } = hello;
  const values = [
    encodeBstr(exactly(nonce, 16)),
    encodeInt(unsigned(ttl)),
    encodeTstr(id),
    VERSION,
    encodeBstr(infoDigest),
    encodeInt(unsigned(commits)),
    mark === null ? encodeSimple(null) : encodeBstr(exactly(mark, 32)),
  ];
  return encodeMap(...values.map((value, i) => [encodeInt(i + 1), value] as const));
}
