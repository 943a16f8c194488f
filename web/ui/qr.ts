/**
 * QR codes (ISO/IEC 18004), as far as a link needs them: bytes, correction level M (a screen in the sun, a
 * cracked glass), versions 1 to 10. Loaded when somebody asks for one.
 */
import { utf8 } from "../../core/encoding/bytes.ts";

/** Rows of modules; true is dark. Without the quiet zone. */
export type QrCode = readonly (readonly boolean[])[];

/** ISO 18004, tables 7 and 9, level M: correction codewords of a block, blocks, data codewords in all. */
const VERSIONS = [
  [10, 1, 16],
  [16, 1, 28],
  [26, 1, 44],
  [18, 2, 64],
  [24, 2, 86],
  [16, 4, 108],
  [18, 4, 124],
  [22, 4, 154],
  [22, 5, 182],
  [26, 5, 216],
] as const;

/** The code for `text`; undefined if it is too long (213 bytes). */
export function qrCode(text: string): QrCode | undefined {
  const bytes = utf8(text);
  const index = VERSIONS.findIndex((_, at) => bytes.length <= room(at + 1));
  if (index < 0) return undefined;
  const version = index + 1;
  const stream = interleaved(version, dataCodewords(version, bytes));
  return withData(fixedPatterns(version), stream);
}

/**
 * The data from the lower right, up and down in columns of two, around what is fixed (7.7.3). Always under mask 000,
 * a chequerboard: which of the eight masks is finest matters for a print of poor quality, not for a screen.
 */
function withData(canvas: Canvas, stream: readonly number[]): QrCode {
  const size = canvas.length;
  let bit = 0;
  for (let pair = size - 1, up = true; pair > 0; pair -= 2, up = !up) {
    // The timing pattern has a column of its own.
    if (pair === 6) pair = 5;
    for (let step = 0; step < size * 2; step++) {
      const row = up ? size - 1 - (step >> 1) : step >> 1;
      const column = pair - (step % 2);
      const line = canvas[row] as (boolean | undefined)[];
      if (line[column] !== undefined) continue;
      const dark = (((stream[bit >> 3] ?? 0) >>> (7 - (bit % 8))) & 1) === 1;
      line[column] = dark !== ((row + column) % 2 === 0);
      bit++;
    }
  }
  return canvas as QrCode;
}

/** Bits of the length (table 3), and how many bytes fit beside it and the mode. */
const lengthBits = (version: number) => (version < 10 ? 8 : 16);
const room = (version: number) => Math.floor((tableOf(version)[2] * 8 - 4 - lengthBits(version)) / 8);
const tableOf = (version: number) => VERSIONS[version - 1] as (typeof VERSIONS)[number];

/** Mode, length, bytes, terminator and padding (7.4). */
function dataCodewords(version: number, bytes: Uint8Array): number[] {
  const all = tableOf(version)[2];
  const binary = (value: number, length: number) => value.toString(2).padStart(length, "0");
  const text = [...bytes].map((byte) => binary(byte, 8)).join("");
  const bits = `0100${binary(bytes.length, lengthBits(version))}${text}0000`;
  const words = (bits.slice(0, all * 8).match(/.{1,8}/g) ?? []).map((word) =>
    Number.parseInt(word.padEnd(8, "0"), 2),
  );
  return [...words, ...Array.from({ length: all - words.length }, (_, at) => (at % 2 === 0 ? 0xec : 0x11))];
}

/** Data and correction of all blocks by turns (7.6). The last blocks are one codeword longer where it does not divide. */
function interleaved(version: number, data: readonly number[]): number[] {
  const [correction, blocks, all] = tableOf(version);
  const short = Math.floor(all / blocks);
  const longer = blocks - (all % blocks);
  const start = (block: number) => block * short + Math.max(0, block - longer);
  const parts = Array.from({ length: blocks }, (_, block) => data.slice(start(block), start(block + 1)));
  const byTurns = (lists: readonly (readonly number[])[], length: number) =>
    Array.from({ length }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
  return [
    ...byTurns(parts, short + 1),
    ...byTurns(
      parts.map((part) => correctionOf(part, correction)),
      correction,
    ),
  ];
}

/** Multiplication in GF(256) with x^8 + x^4 + x^3 + x^2 + 1. */
function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--)
    product = (product << 1) ^ ((product >>> 7) * 0x11d) ^ (((b >>> bit) & 1) * a);
  return product;
}

/** Reed-Solomon codewords for one block (7.5.2). */
export function correctionOf(data: readonly number[], length: number): number[] {
  let generator = [1];
  for (let at = 0, root = 1; at < length; at++, root = times(root, 2)) {
    const raised = generator.map((factor) => times(factor, root));
    generator = [...generator, 0].map((factor, index) => factor ^ (raised[index - 1] ?? 0));
  }
  const rest = [...data, ...Array<number>(length).fill(0)];
  for (let at = 0; at < data.length; at++) {
    const lead = rest[at] as number;
    for (const [index, factor] of generator.entries()) (rest[at + index] as number) ^= times(factor, lead);
  }
  return rest.slice(data.length);
}

/** Undefined: not decided yet. Addressed by column and row, as in the standard's figures. */
type Canvas = (boolean | undefined)[][];

/** Everything but the data: finders, alignment, timing, format and version (6.3, 7.9, 7.10). */
function fixedPatterns(version: number): Canvas {
  const size = 17 + 4 * version;
  const canvas: Canvas = Array.from({ length: size }, () => Array(size).fill(undefined));
  const set = (column: number, row: number, dark: boolean) => {
    if (canvas[row] !== undefined && row >= 0 && column >= 0 && column < size) canvas[row][column] = dark;
  };
  /** Concentric squares; `light`: the rings that are light. */
  const square = (column: number, row: number, radius: number, light: readonly number[]) => {
    for (let y = -radius; y <= radius; y++)
      for (let x = -radius; x <= radius; x++)
        set(column + x, row + y, !light.includes(Math.max(Math.abs(x), Math.abs(y))));
  };
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  const [first, last] = [6, size - 7];
  const places = version === 1 ? [] : version < 7 ? [first, last] : [first, (first + last) / 2, last];
  const isEnd = (place: number) => place === first || place === last;
  const isFinder = (column: number, row: number) =>
    isEnd(column) && isEnd(row) && column + row <= first + last;
  for (const column of places)
    for (const row of places) if (!isFinder(column, row)) square(column, row, 2, [1]);
  square(3, 3, 4, [2, 4]);
  square(size - 4, 3, 4, [2, 4]);
  square(3, size - 4, 4, [2, 4]);
  writeFormat(size, set);
  if (version >= 7) writeVersion(version, size, set);
  return canvas;
}

type Set = (column: number, row: number, dark: boolean) => void;

/** Level M with mask 000 and its check bits, masked (table C.1). */
const FORMAT = 0b101010000010010;

function writeFormat(size: number, set: Set): void {
  for (let bit = 0; bit < 15; bit++) {
    const dark = ((FORMAT >>> bit) & 1) === 1;
    // Beside the upper left finder, without the timing pattern; then shared by the other two.
    const near = bit < 6 ? bit : bit < 8 ? bit + 1 : bit === 8 ? 7 : 14 - bit;
    if (bit < 8) set(8, near, dark);
    else set(near, 8, dark);
    if (bit < 8) set(size - 1 - bit, 8, dark);
    else set(8, size - 15 + bit, dark);
  }
  set(8, size - 8, true);
}

/** Six bits with twelve check bits (annex D). */
function writeVersion(version: number, size: number, set: Set): void {
  let rest = version << 12;
  for (let bit = 17; bit >= 12; bit--) if ((rest >>> bit) & 1) rest ^= 0x1f25 << (bit - 12);
  const bits = (version << 12) | rest;
  for (let bit = 0; bit < 18; bit++) {
    const dark = ((bits >>> bit) & 1) === 1;
    const [along, across] = [Math.floor(bit / 3), size - 11 + (bit % 3)];
    set(along, across, dark);
    set(across, along, dark);
  }
}
