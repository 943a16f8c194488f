/**
 * The strict part of DER (X.690 §10, §11) that certificates and signatures need. One spelling per value: long tags, indefinite or
 * padded lengths, padded integers and surplus bytes are refused, so what is compared byte for byte is comparable.
 */
import { type Bytes, concat, copyBytes, utf8 } from "./bytes.ts";

/** Bytes that are not strict DER, or not the value that belongs here. */
export class DerError extends Error {
  override readonly name = "DerError";
}

export const DER_TAG = {
  BOOLEAN: 0x01,
  INTEGER: 0x02,
  BIT_STRING: 0x03,
  OCTET_STRING: 0x04,
  OID: 0x06,
  UTF8_STRING: 0x0c,
  PRINTABLE_STRING: 0x13,
  UTC_TIME: 0x17,
  GENERALIZED_TIME: 0x18,
  SEQUENCE: 0x30,
  SET: 0x31,
  IMPLICIT_0: 0x80,
  EXPLICIT_1: 0xa1,
  EXPLICIT_3: 0xa3,
} as const;
export type DerTag = (typeof DER_TAG)[keyof typeof DER_TAG];

/** One value: its tag, what it contains and the whole of it, as views of the bytes it was read from. */
export interface Tlv {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly whole: Uint8Array;
}

/** Every value of `bytes`, one after the other; no byte is left over. Throws {@link DerError}, as all below do. */
export function readValues(bytes: Uint8Array): Tlv[] {
  const values: Tlv[] = [];
  for (let at = 0; at < bytes.length; ) {
    const value = readValue(bytes.subarray(at));
    values.push(value);
    at += value.whole.length;
  }
  return values;
}

/** The content of `value`, which must have `tag`. */
export function contentOf(value: Tlv | undefined, tag: DerTag): Uint8Array {
  if (value?.tag !== tag) throw new DerError("another type belongs here");
  return value.content;
}

/** The values inside `value`, which must have the constructed `tag`. */
export function valuesOf(value: Tlv | undefined, tag: DerTag = DER_TAG.SEQUENCE): Tlv[] {
  return readValues(contentOf(value, tag));
}

/** The single value that `bytes` are. */
export function onlyValue(bytes: Uint8Array): Tlv {
  const [value, ...surplus] = readValues(bytes);
  if (value === undefined || surplus.length > 0) throw new DerError("exactly one value belongs here");
  return value;
}

/** The magnitude of a non-negative INTEGER without its sign byte. */
export function unsignedOf(value: Tlv | undefined): Uint8Array {
  const content = contentOf(value, DER_TAG.INTEGER);
  const [first, second] = content;
  if (first === undefined || first > 0x7f) throw new DerError("not an unsigned integer");
  if (first !== 0 || second === undefined) return content;
  if (second < 0x80) throw new DerError("padded integer");
  return content.subarray(1);
}

/** BOOLEAN that is present, hence TRUE: DER leaves out the default FALSE (X.690 §11.5). */
export function expectTrue(value: Tlv): true {
  const content = contentOf(value, DER_TAG.BOOLEAN);
  if (content.length !== 1 || content[0] !== 0xff) throw new DerError("not a DER TRUE");
  return true;
}

/** An object identifier in dotted form. */
export function oidOf(value: Tlv | undefined): string {
  const content = contentOf(value, DER_TAG.OID);
  const arcs: number[] = [];
  let arc = 0;
  let open = false;
  for (const byte of content) {
    if (!open && byte === 0x80) throw new DerError("padded object identifier");
    arc = arc * 128 + (byte & 0x7f);
    if (arc > Number.MAX_SAFE_INTEGER) throw new DerError("object identifier too large");
    open = byte > 0x7f;
    if (open) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first, ...rest] = arcs;
  if (open || first === undefined) throw new DerError("object identifier ends too early");
  const top = Math.min(Math.floor(first / 40), 2);
  return [top, first - 40 * top, ...rest].join(".");
}

/** The bytes of a BIT STRING whose bits are whole bytes. */
export function bytesOfBits(value: Tlv | undefined): Bytes {
  const content = contentOf(value, DER_TAG.BIT_STRING);
  if (content[0] !== 0) throw new DerError("a signature has whole bytes");
  return copyBytes(content.subarray(1));
}

/**
 * ECDSA-Sig-Value (RFC 3279 §2.2.3) as the raw r‖s that WebCrypto takes, each of `size` bytes: 32 for P-256, 48 for
 * P-384.
 */
export function rawSignature(der: Uint8Array, size: number): Bytes {
  const [r, s, ...surplus] = valuesOf(onlyValue(der));
  if (surplus.length > 0) throw new DerError("surplus in a signature");
  return concat(scalar(unsignedOf(r), size), scalar(unsignedOf(s), size));
}

function readValue(bytes: Uint8Array): Tlv {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw new DerError("ends too early");
  if ((tag & 0x1f) === 0x1f) throw new DerError("long tags do not occur here");
  const { length, header } = first < 0x80 ? { length: first, header: 2 } : longLength(bytes, first & 0x7f);
  if (header + length > bytes.length) throw new DerError("ends too early");
  return { tag, content: bytes.subarray(header, header + length), whole: bytes.subarray(0, header + length) };
}

function longLength(bytes: Uint8Array, count: number): { length: number; header: number } {
  const octets = bytes.subarray(2, 2 + count);
  // Two length bytes reach 64 KiB; nothing here is longer. Zero of them would be the indefinite form.
  if (count < 1 || count > 2 || octets.length < count) throw new DerError("length out of range");
  const length = octets.reduce((value, byte) => value * 256 + byte, 0);
  if (length < (count === 1 ? 0x80 : 0x100)) throw new DerError("padded length");
  return { length, header: 2 + count };
}

function scalar(magnitude: Uint8Array, size: number): Bytes {
  if (magnitude.length > size) throw new DerError("signature out of range");
  const padded = new Uint8Array(size);
  padded.set(magnitude, size - magnitude.length);
  return padded;
}

/** Writing of what is read above. */

/** One value of `contents`, one after the other. Throws {@link DerError} from 64 KiB on, where the reader ends too. */
export function der(tag: DerTag, ...contents: readonly Uint8Array[]): Bytes {
  const content = concat(...contents);
  return concat(Uint8Array.of(tag, ...lengthOf(content.length)), content);
}

export const sequence = (...values: readonly Uint8Array[]): Bytes => der(DER_TAG.SEQUENCE, ...values);

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  if (length < 0x100) return [0x81, length];
  if (length < 0x10000) return [0x82, length >> 8, length & 0xff];
  throw new DerError("length out of range");
}

/** A non-negative INTEGER of `magnitude`, big-endian. */
export function unsigned(magnitude: Uint8Array): Bytes {
  const start = magnitude.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Uint8Array.of(0) : magnitude.subarray(start);
  const sign = (digits[0] as number) > 0x7f ? [0] : [];
  return der(DER_TAG.INTEGER, Uint8Array.from(sign), digits);
}

/** An object identifier in dotted form. */
export function oid(text: string): Bytes {
  const [top = 0, second = 0, ...rest] = text.split(".").map(Number);
  return der(DER_TAG.OID, ...[top * 40 + second, ...rest].map(arcOf));
}

function arcOf(arc: number): Uint8Array {
  const digits = [arc % 128];
  for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
    digits.unshift(0x80 + (left % 128));
  return Uint8Array.from(digits);
}

/** A BIT STRING of `bytes` without its last `unused` bits. */
export const bits = (bytes: Uint8Array, unused = 0): Bytes =>
  der(DER_TAG.BIT_STRING, Uint8Array.of(unused), bytes);

/** UTCTime up to 2049, GeneralizedTime from 2050 (RFC 5280 §4.1.2.5); what is less than a second is dropped. */
export function time(at: Date): Bytes {
  const digits = `${at.toISOString().slice(0, 19).replace(/\D/g, "")}Z`;
  return at.getUTCFullYear() < 2050
    ? der(DER_TAG.UTC_TIME, utf8(digits.slice(2)))
    : der(DER_TAG.GENERALIZED_TIME, utf8(digits));
}

/** The raw r‖s of WebCrypto as ECDSA-Sig-Value (RFC 3279 §2.2.3). */
export function ecdsaSignature(raw: ArrayBuffer): Bytes {
  const bytes = copyBytes(raw);
  const half = bytes.length / 2;
  return sequence(unsigned(bytes.subarray(0, half)), unsigned(bytes.subarray(half)));
}
