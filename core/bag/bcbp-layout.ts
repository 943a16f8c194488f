import { FormatError } from "./errors.ts";

/**
 * Where the fields of a boarding pass stand (IATA Resolution 792, Attachment A; formats "M"). The service matches the
 * mandatory columns, so each of them is checked. Airlines fill the blocks behind them in their own ways: whatever a
 * block holds, and however long it says it is, refuses no pass.
 *
 *     M, legs 1, name 20, e-ticket 1
 *     per leg: 37 columns, the last two the hexadecimal length of the leg's own block, and that block
 *     optional: "^", type 1, hexadecimal length 2 and that much of signature
 */

/** A field: its length, the characters that each column allows, and the form of the whole. */
interface Field {
  readonly name: string;
  readonly length: number;
  readonly chars: RegExp;
  readonly form?: RegExp;
}

const LETTERS = /[A-Z]/;
const ALPHANUMERIC = /[A-Z0-9 ]/;

const field = (name: string, length: number, chars = ALPHANUMERIC, form?: RegExp): Field =>
  form === undefined ? { name, length, chars } : { name, length, chars, form };

const HEAD: readonly Field[] = [
  field("the format M", 1, /M/),
  field("the number of legs", 1, /[1-9]/),
  field("a name", 20, /[A-Z/ .'-]/, /^[A-Z]/),
  field("the e-ticket indicator", 1, /[E ]/),
];

const LEG: readonly Field[] = [
  field("a record locator", 7, /[A-Za-z0-9 ]/, /^[A-Za-z0-9]{5,7} *$/),
  field("an airport", 3, LETTERS),
  field("an airport", 3, LETTERS),
  field("a carrier", 3, ALPHANUMERIC, /^[A-Z0-9]{2}/),
  field("a flight number", 5, ALPHANUMERIC, /^\d{4}[A-Z ]$/),
  // Some airlines print days before the hundredth without zeros, and blanks on either side.
  field("a day of the year", 3, /[0-9 ]/, /^(?=.*[1-9])(?:[0-2]\d\d|3[0-5]\d|36[0-6]| *\d\d? *)$/),
  field("a compartment", 1),
  field("a seat", 4),
  field("a check-in sequence number", 5),
  field("a passenger status", 1),
  field("a length in hexadecimal digits", 2, /[0-9A-F]/),
];

const lengthOf = (fields: readonly Field[]) => fields.reduce((sum, { length }) => sum + length, 0);
const LEG_LENGTH = lengthOf(LEG);

/** A leg's fields as they stand. */
export interface LegText {
  readonly recordLocator: string;
  readonly from: string;
  readonly to: string;
  readonly carrier: string;
  readonly number: string;
  readonly day: string;
}

export interface BcbpLayout {
  readonly name: string;
  readonly legs: readonly LegText[];
  /** What follows the first leg, as long as announced, or as far as it goes. */
  readonly firstBlock: string;
  /** What follows each leg has the length that is announced, and behind the last is a signature or nothing. */
  readonly isWhole: boolean;
}

/** Checks every mandatory column of `text`. Throws {@link FormatError} `BCBP` at the first that is wrong. */
export function layOut(text: string): BcbpLayout {
  const fault = faultAt(text, 0, HEAD);
  if (fault !== undefined) throw fault;
  const starts = legStarts(text, lengthOf(HEAD), Number(text[1]));
  const blocks = starts.map((start, i) => {
    const from = start + LEG_LENGTH;
    const announced = sizeAt(text, from - 2);
    return { text: text.slice(from, starts[i + 1]), announced };
  });
  const isWhole = blocks.every(({ text: block, announced }, i) =>
    i < blocks.length - 1
      ? block.length === announced
      : isSignature(block.slice(announced), block.length - announced),
  );
  const [first] = blocks;
  return {
    name: text.slice(2, 22),
    legs: starts.map((start) => legAt(text, start)),
    firstBlock: first?.text.slice(0, first.announced) ?? "",
    isWhole,
  };
}

/** Nothing, or `^`, a type, a length and that much. */
function isSignature(rest: string, length: number): boolean {
  if (length <= 0) return length === 0;
  return /^\^[A-Z0-9 ][0-9A-F]{2}/.test(rest) && rest.length === 4 + sizeAt(rest, 2);
}

const sizeAt = (text: string, at: number) => Number.parseInt(text.slice(at, at + 2), 16);

/**
 * Where each leg begins: where the block before it ends, or, if one of those lengths is wrong, wherever text of the form
 * of a leg is. The first is where it must be.
 */
function legStarts(text: string, first: number, count: number): readonly number[] {
  const starts: number[] = [];
  let at = first;
  while (starts.length < count) {
    const fault = faultAt(text, at, LEG);
    if (fault !== undefined) {
      const found = starts.length === 0 ? [] : findLegs(text, first, count);
      if (found.length < count) throw fault;
      return found;
    }
    starts.push(at);
    at += LEG_LENGTH + sizeAt(text, at + LEG_LENGTH - 2);
  }
  return starts;
}

function findLegs(text: string, from: number, count: number): readonly number[] {
  const found: number[] = [];
  for (let at = from; at < text.length && found.length < count; at++) {
    if (faultAt(text, at, LEG) !== undefined) continue;
    found.push(at);
    at += LEG_LENGTH - 1;
  }
  return found;
}

/** The first wrong column of `fields`, which stand in `text` from `start`; places count from 0, errors from 1. */
function faultAt(text: string, start: number, fields: readonly Field[]): FormatError | undefined {
  let at = Math.min(start, text.length);
  for (const { name, length, chars, form } of fields) {
    const value = text.slice(at, at + length);
    const wrong = [...value].findIndex((char) => !chars.test(char));
    const missing = value.length < length ? value.length : -1;
    const column = wrong >= 0 ? wrong : missing >= 0 ? missing : form?.test(value) === false ? 0 : -1;
    if (column >= 0) return new FormatError("BCBP", at + column + 1, name);
    at += length;
  }
  return undefined;
}

function legAt(text: string, start: number): LegText {
  const column = (from: number, length: number) => text.slice(start + from, start + from + length).trim();
  return {
    recordLocator: column(0, 7),
    from: column(7, 3),
    to: column(10, 3),
    carrier: column(13, 3),
    number: column(16, 5),
    day: column(21, 3),
  };
}
