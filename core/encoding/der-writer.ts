/** Writes the DER (X.690 §10, §11) that der.ts reads. */
import { type Bytes, concat, copyBytes, utf8 } from "./bytes.ts";
import { DER_TAG, DerError, type DerTag } from "./der.ts";

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
