/**
 * The strict part of DER (X.690 §10, §11) that certificates need. One spelling per value: long tags, indefinite or
 * padded lengths, padded integers and surplus bytes are refused, so what is compared byte for byte is comparable.
 * Every failure is SecError `CHAIN`.
 */
import { type Bytes, concat, copyBytes } from "../encoding/bytes.ts";
import { SecError } from "../sec/errors.ts";

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

/** The refusal that everything about an unsound certificate comes to. */
export function refuse(message: string, cause?: unknown): never {
  throw new SecError("CHAIN", cause === undefined ? { message } : { message, cause });
}

/** Every value of `bytes`, one after the other; no byte is left over. */
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
  if (value?.tag !== tag) refuse("another type belongs here");
  return value.content;
}

/** The values inside `value`, which must have the constructed `tag`. */
export function valuesOf(value: Tlv | undefined, tag: DerTag = DER_TAG.SEQUENCE): Tlv[] {
  return readValues(contentOf(value, tag));
}

/** The single value that `bytes` are. */
export function onlyValue(bytes: Uint8Array): Tlv {
  const [value, ...surplus] = readValues(bytes);
  if (value === undefined || surplus.length > 0) refuse("exactly one value belongs here");
  return value;
}

/** The magnitude of a non-negative INTEGER without its sign byte. */
export function unsignedOf(value: Tlv | undefined): Uint8Array {
  const content = contentOf(value, DER_TAG.INTEGER);
  const [first, second] = content;
  if (first === undefined || first > 0x7f) refuse("not an unsigned integer");
  if (first !== 0 || second === undefined) return content;
  if (second < 0x80) refuse("padded integer");
  return content.subarray(1);
}

/** BOOLEAN that is present, hence TRUE: DER leaves out the default FALSE (X.690 §11.5). */
export function expectTrue(value: Tlv): true {
  const content = contentOf(value, DER_TAG.BOOLEAN);
  if (content.length !== 1 || content[0] !== 0xff) refuse("not a DER TRUE");
  return true;
}

/** An object identifier in dotted form. */
export function oidOf(value: Tlv | undefined): string {
  const content = contentOf(value, DER_TAG.OID);
  const arcs: number[] = [];
  let arc = 0;
  let open = false;
  for (const byte of content) {
    if (!open && byte === 0x80) refuse("padded object identifier");
    arc = arc * 128 + (byte & 0x7f);
    if (arc > Number.MAX_SAFE_INTEGER) refuse("object identifier too large");
    open = byte > 0x7f;
    if (open) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first, ...rest] = arcs;
  if (open || first === undefined) refuse("object identifier ends too early");
  const top = Math.min(Math.floor(first / 40), 2);
  return [top, first - 40 * top, ...rest].join(".");
}

/** The bytes of a BIT STRING whose bits are whole bytes. */
export function bytesOfBits(value: Tlv | undefined): Bytes {
  const content = contentOf(value, DER_TAG.BIT_STRING);
  if (content[0] !== 0) refuse("a signature has whole bytes");
  return copyBytes(content.subarray(1));
}

/**
 * ECDSA-Sig-Value (RFC 3279 §2.2.3) as the raw r‖s that WebCrypto takes, each of `size` bytes: 32 for P-256, 48 for
 * P-384.
 */
export function rawSignature(der: Uint8Array, size: number): Bytes {
  const [r, s, ...surplus] = valuesOf(onlyValue(der));
  if (surplus.length > 0) refuse("surplus in a signature");
  return concat(scalar(unsignedOf(r), size), scalar(unsignedOf(s), size));
}

/**
 * Splits concatenated DER certificates (endpoint 7: intermediate ‖ leaf) by their own lengths, in the order given.
 * Every part is one SEQUENCE with a minimal definite length; no byte is left over and at least one part is there.
 *
 * @throws SecError `CHAIN`
 */
export function splitDer(bytes: Uint8Array): Bytes[] {
  const values = readValues(bytes);
  if (values.length === 0) refuse("no certificate");
  for (const value of values) contentOf(value, DER_TAG.SEQUENCE);
  return values.map((value) => copyBytes(value.whole));
}

function readValue(bytes: Uint8Array): Tlv {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) refuse("ends too early");
  if ((tag & 0x1f) === 0x1f) refuse("long tags do not occur here");
  const { length, header } = first < 0x80 ? { length: first, header: 2 } : longLength(bytes, first & 0x7f);
  if (header + length > bytes.length) refuse("ends too early");
  return { tag, content: bytes.subarray(header, header + length), whole: bytes.subarray(0, header + length) };
}

function longLength(bytes: Uint8Array, count: number): { length: number; header: number } {
  const octets = bytes.subarray(2, 2 + count);
  // Two length bytes reach 64 KiB; nothing here is longer. Zero of them would be the indefinite form.
  if (count < 1 || count > 2 || octets.length < count) refuse("length out of range");
  const length = octets.reduce((value, byte) => value * 256 + byte, 0);
  if (length < (count === 1 ? 0x80 : 0x100)) refuse("padded length");
  return { length, header: 2 + count };
}

function scalar(magnitude: Uint8Array, size: number): Bytes {
  if (magnitude.length > size) refuse("signature out of range");
  const padded = new Uint8Array(size);
  padded.set(magnitude, size - magnitude.length);
  return padded;
}
