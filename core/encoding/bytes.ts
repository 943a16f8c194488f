/**
 * The only helpers for raw bytes. Everything that crosses a wire in this project is a {@link Bytes};
 * text appears at the edges (JSON, logs, transcripts) and nowhere else.
 */

/** Bytes that own an ordinary buffer, which is what WebCrypto and Web Bluetooth accept. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Which text form a string was supposed to have. */
export type Encoding = "base32" | "base64" | "base64url" | "hex" | "utf8";

/** Text that is not what it claims to be (wrong alphabet, odd length, invalid UTF-8). */
export class EncodingError extends Error {
  override readonly name = "EncodingError";
  readonly encoding: Encoding;
  constructor(encoding: Encoding) {
    super(`not ${encoding}`);
    this.encoding = encoding;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** All parts, one after the other, in a buffer of their own. */
export function concat(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A copy that owns its buffer; what arrives from a DataView or a pool must pass through here. */
export function copyBytes(source: ArrayBuffer | ArrayBufferView): Bytes {
  // Not `instanceof`: a platform's cryptography may bring buffers of another realm.
  const view = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
  return new Uint8Array(view);
}

/** Equality whose duration depends on the lengths alone (lengths are public). */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] as number);
  return difference === 0;
}

/** Zeroes every argument that is a byte string. Best effort: an engine may hold copies of its own. */
export function wipe(...values: readonly unknown[]): void {
  for (const value of values) if (value instanceof Uint8Array) value.fill(0);
}

/** UTF-8 bytes of `text`. */
export function utf8(text: string): Bytes {
  return copyBytes(encoder.encode(text));
}

/** Text of UTF-8 `bytes`; throws {@link EncodingError} where they are not UTF-8. */
export function fromUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new EncodingError("utf8");
  }
}

/** Lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

/** Bytes of hexadecimal `text` (either case); throws {@link EncodingError}. */
export function fromHex(text: string): Bytes {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) throw new EncodingError("hex");
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Base64 with padding (RFC 4648 §4). */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Bytes of canonical base64 `text`; throws {@link EncodingError} for anything else, surplus bits included. */
export function fromBase64(text: string): Bytes {
  return decodeBase64(text, "base64");
}

/** Base64url without padding (RFC 4648 §5). */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Bytes of unpadded canonical base64url `text`; throws {@link EncodingError} for anything else. */
export function fromBase64Url(text: string): Bytes {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new EncodingError("base64url");
  const standard = text.replaceAll("-", "+").replaceAll("_", "/");
  return decodeBase64(standard.padEnd(Math.ceil(standard.length / 4) * 4, "="), "base64url");
}

function decodeBase64(text: string, encoding: Encoding): Bytes {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw new EncodingError(encoding);
  }
  // atob skips white space, missing padding and surplus bits: only the canonical spelling passes.
  if (btoa(binary) !== text) throw new EncodingError(encoding);
  // Twenty times as fast as Uint8Array.from with a function.
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

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
