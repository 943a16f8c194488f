import { gzipSync } from "node:zlib";

/** A file of an archive. */
export interface Packed {
  /** Path within, of at most 100 bytes. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const BLOCK = 512;

/**
 * A ustar archive (POSIX.1-1988), compressed: of the same files always the same bytes, whoever makes it and when. `tar` of the
 * system would write owners and times. Throws RangeError for a name that the format cannot hold.
 */
export function tarGz(files: readonly Packed[]): Uint8Array {
  const parts = files
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, bytes }) => [
      headerOf(name, bytes.length),
      bytes,
      new Uint8Array(-bytes.length & (BLOCK - 1)),
    ]);
  const packed = gzipSync(Buffer.concat([...parts, new Uint8Array(2 * BLOCK)]), { level: 9 });
  // Which system compressed it (RFC 1952): unknown.
  packed[9] = 255;
  return packed;
}

/** npm's own date of every file of a package: some tools refuse the year 1970. */
const TIME = Date.UTC(1985, 9, 26, 8, 15) / 1_000;

function headerOf(name: string, size: number): Uint8Array {
  if (Buffer.byteLength(name) > 100) throw new RangeError(`${name} is too long for an archive`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, offset);
  header.write(name, 0);
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(TIME, 136, 12);
  header.fill(" ", 148, 156);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
