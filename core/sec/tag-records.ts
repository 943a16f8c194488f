/** The tag's half of records.ts: a file of its own, because clients have no use for it. */
import type { Bytes } from "../encoding/bytes.ts";
import {
  CborError,
  encodeArray,
  encodeBstr,
  encodeInt,
  encodeMap,
  encodeSimple,
  encodeTstr,
} from "../encoding/cbor.ts";
import {
  decoding,
  exactly,
  type Hello,
  type InitiatorRecord,
  RECORD_KIND,
  type ResponderRecord,
  sized,
  unsigned,
  VERSION,
} from "./records.ts";

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
