import { type Bytes, EncodingError } from "./bytes.ts";

/** Base32hex (RFC 4648 §7), lower case, without padding: as text it sorts as its bytes do. */

const DIGITS = "0123456789abcdefghijklmnopqrstuv";

/** Five bits to a digit; the last one is filled up with zeros. */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let buffer = 0;
  for (const byte of bytes) {
    buffer = ((buffer & 0x1f) << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += DIGITS[(buffer >> (bits - 5)) & 0x1f];
  }
  return bits === 0 ? text : text + DIGITS[(buffer << (5 - bits)) & 0x1f];
}

/** Bytes of `text`; throws {@link EncodingError} for anything but the canonical spelling. */
export function fromBase32(text: string): Bytes {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let length = 0;
  let bits = 0;
  let buffer = 0;
  for (const digit of text) {
    buffer = ((buffer & 0xff) << 5) | DIGITS.indexOf(digit);
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[length++] = buffer >> bits;
    }
  }
  if (toBase32(bytes) !== text) throw new EncodingError("base32");
  return bytes;
}
