import { type Bytes, concat, copyBytes } from "./bytes.ts";

/** Bytes that end too early, or go on after their end. */
export class CursorError extends Error {
  override readonly name = "CursorError";
  readonly code: "short" | "surplus";
  constructor(code: "short" | "surplus") {
    super(code === "short" ? "bytes end too early" : "bytes after the end");
    this.code = code;
  }
}

/** Reads fixed little-endian structures; `end()` refuses what is left over. */
export class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Bytes not yet read. */
  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  /** The next `length` bytes, copied. */
  take(length: number): Bytes {
    if (length > this.remaining) throw new CursorError("short");
    const part = copyBytes(this.#bytes.subarray(this.#at, this.#at + length));
    this.#at += length;
    return part;
  }

  u8(): number {
    return this.take(1)[0] as number;
  }

  u16le(): number {
    const low = this.u8();
    return low | (this.u8() << 8);
  }

  /** Everything that is left, copied. */
  rest(): Bytes {
    return this.take(this.remaining);
  }

  end(): void {
    if (this.remaining > 0) throw new CursorError("surplus");
  }
}

/** Writes fixed structures, the mirror of {@link Reader}. */
export class Writer {
  readonly #parts: Uint8Array[] = [];

  u8(value: number): this {
    this.#parts.push(Uint8Array.of(checked(value, 0xff)));
    return this;
  }

  u16le(value: number): this {
    checked(value, 0xffff);
    this.#parts.push(Uint8Array.of(value & 0xff, value >> 8));
    return this;
  }

  u16be(value: number): this {
    checked(value, 0xffff);
    this.#parts.push(Uint8Array.of(value >> 8, value & 0xff));
    return this;
  }

  /** Unsigned 64 bit, big endian; `value` must be a safe integer. */
  u64be(value: number): this {
    checked(value, Number.MAX_SAFE_INTEGER);
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
    this.#parts.push(bytes);
    return this;
  }

  raw(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    return this;
  }

  bytes(): Bytes {
    return concat(...this.#parts);
  }
}

function checked(value: number, maximum: number): number {
  if (!Number.isInteger(value) || value < 0 || value > maximum)
    throw new RangeError("does not fit its field");
  return value;
}
