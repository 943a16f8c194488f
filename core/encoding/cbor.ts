/**
 * The small deterministic part of CBOR (RFC 8949 §4.2) that EDHOC, COSE and our records need: integers, byte and text
 * strings, arrays, maps, true, false, null. The reader refuses every other spelling of the same value, and gives the
 * exact bytes of an item back, because what is hashed and signed is what was received.
 */
import { type Bytes, concat, copyBytes, fromUtf8, utf8 } from "./bytes.ts";

/** Bytes that are not deterministic CBOR, or not the item that belongs here. */
export class CborError extends Error {
  override readonly name = "CborError";
}

const UNSIGNED = 0;
const NEGATIVE = 1;
const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;
const MAP = 5;
const SIMPLE = 7;

/** What kind of item comes next. */
export type CborType = "int" | "bstr" | "tstr" | "array" | "map" | "simple";

const TYPES: Readonly<Record<number, CborType>> = {
  [UNSIGNED]: "int",
  [NEGATIVE]: "int",
  [BYTES]: "bstr",
  [TEXT]: "tstr",
  [ARRAY]: "array",
  [MAP]: "map",
  [SIMPLE]: "simple",
};

/** Deeper nesting than any of our structures has. */
const DEEPEST = 8;

/** Reads a CBOR sequence item by item; `end()` refuses what is left over. Throws {@link CborError}. */
export class CborReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether everything was consumed. */
  get done(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** The type of the next item, which is not consumed. */
  peek(): CborType {
    const type = TYPES[this.#byte(this.#at) >> 5];
    if (type === undefined) throw new CborError("tags do not occur here");
    return type;
  }

  /** The next integer, within ±2^53. */
  int(): number {
    const { major, value } = this.#head();
    if (major === UNSIGNED) return value;
    if (major === NEGATIVE) return -1 - value;
    throw new CborError("not an integer");
  }

  /** The next integer, 0 or more. */
  uint(): number {
    return this.#expect(UNSIGNED);
  }

  bstr(): Bytes {
    return this.#take(this.#expect(BYTES));
  }

  tstr(): string {
    const bytes = this.#take(this.#expect(TEXT));
    try {
      return fromUtf8(bytes);
    } catch (cause) {
      throw new CborError("text is not UTF-8", { cause });
    }
  }

  /** The number of items of the array that begins here. */
  array(): number {
    return this.#expect(ARRAY);
  }

  /** The number of pairs of the map that begins here; the caller reads keys and values, in ascending order. */
  map(): number {
    return this.#expect(MAP);
  }

  /** true, false or null. */
  simple(): boolean | null {
    const value = this.#expect(SIMPLE);
    if (value === 20 || value === 21) return value === 21;
    if (value === 22) return null;
    throw new CborError("unknown simple value");
  }

  /** The next item, whatever it is, as the bytes it came in. Checked to its full depth. */
  raw(): Bytes {
    const start = this.#at;
    this.#skip(DEEPEST);
    return copyBytes(this.#bytes.subarray(start, this.#at));
  }

  /** The rest of the sequence as raw bytes, unchecked. */
  rest(): Bytes {
    return this.#take(this.#bytes.length - this.#at);
  }

  end(): void {
    if (!this.done) throw new CborError("bytes after the end");
  }

  #skip(depth: number): void {
    if (depth === 0) throw new CborError("nested too deeply");
    const type = this.peek();
    if (type === "int") this.int();
    else if (type === "bstr") this.bstr();
    else if (type === "tstr") this.tstr();
    else if (type === "simple") this.simple();
    else if (type === "array") for (let n = this.array(); n > 0; n--) this.#skip(depth - 1);
    else this.#skipMap(depth);
  }

  // RFC 8949 §4.2.1: keys in the bytewise order of their encodings, hence none twice.
  #skipMap(depth: number): void {
    let previous: Bytes | undefined;
    for (let n = this.map(); n > 0; n--) {
      const start = this.#at;
      this.#skip(depth - 1);
      const key = copyBytes(this.#bytes.subarray(start, this.#at));
      if (previous !== undefined && !ascending(previous, key)) throw new CborError("map keys out of order");
      previous = key;
      this.#skip(depth - 1);
    }
  }

  #expect(expected: number): number {
    const { major, value } = this.#head();
    if (major !== expected) throw new CborError("another type belongs here");
    return value;
  }

  #head(): { major: number; value: number } {
    const initial = this.#byte(this.#at++);
    const major = initial >> 5;
    const info = initial & 0x1f;
    if (info < 24) return { major, value: info };
    // Simple values over 23 and floats do not occur; indefinite lengths and reserved infos never do.
    if (info > 27 || major === SIMPLE) throw new CborError("not deterministic");
    const length = 1 << (info - 24);
    let value = 0;
    for (let i = 0; i < length; i++) value = value * 256 + this.#byte(this.#at++);
    const least = length === 1 ? 24 : 2 ** (4 * length);
    if (value < least || value > Number.MAX_SAFE_INTEGER) throw new CborError("not deterministic");
    return { major, value };
  }

  #byte(at: number): number {
    const byte = this.#bytes[at];
    if (byte === undefined) throw new CborError("ends too early");
    return byte;
  }

  #take(length: number): Bytes {
    if (length > this.#bytes.length - this.#at) throw new CborError("ends too early");
    const part = copyBytes(this.#bytes.subarray(this.#at, this.#at + length));
    this.#at += length;
    return part;
  }
}

function ascending(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference < 0;
  }
  return a.length < b.length;
}

/** An integer within ±2^53, in its shortest form. */
export function encodeInt(value: number): Bytes {
  if (!Number.isSafeInteger(value)) throw new RangeError("not an integer that fits");
  return value < 0 ? head(NEGATIVE, -1 - value) : head(UNSIGNED, value);
}

export function encodeBstr(bytes: Uint8Array): Bytes {
  return concat(head(BYTES, bytes.length), bytes);
}

export function encodeTstr(text: string): Bytes {
  const bytes = utf8(text);
  return concat(head(TEXT, bytes.length), bytes);
}

/** An array of items that are encoded already. */
export function encodeArray(...items: readonly Uint8Array[]): Bytes {
  return concat(head(ARRAY, items.length), ...items);
}

/** A map of encoded pairs; the caller gives them in ascending order of their keys. */
export function encodeMap(...pairs: readonly (readonly [key: Uint8Array, value: Uint8Array])[]): Bytes {
  return concat(head(MAP, pairs.length), ...pairs.flat());
}

export function encodeSimple(value: boolean | null): Bytes {
  if (value === null) return Uint8Array.of(0xf6);
  return Uint8Array.of(value ? 0xf5 : 0xf4);
}

function head(major: number, value: number): Bytes {
  if (value < 24) return Uint8Array.of((major << 5) | value);
  const length = value < 0x100 ? 1 : value < 0x1_0000 ? 2 : value < 0x1_0000_0000 ? 4 : 8;
  const bytes = new Uint8Array(1 + length);
  bytes[0] = (major << 5) | (24 + Math.log2(length));
  let rest = value;
  for (let i = length; i > 0; i--) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return bytes;
}
