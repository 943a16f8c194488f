import { FormatError } from "./errors.ts";

/**
 * Where the fields of a boarding pass stand (IATA Resolution 792, Attachment A; formats "M"): every length is checked
 * and every column belongs to something. Knows nothing of what the fields mean.
 *
 *     M, legs 1, name 20, e-ticket 1
 *     per leg: 37 columns, the last two the hexadecimal length of the leg's own block, and that block:
 *       first leg: ">", version 1, length 2 and that much of SHARED; every leg: length 2 and that much of OWN;
 *       whatever is left is the airline's
 *     optional: "^", type 1, length 2 and that much of signature
 */

/** A field: its length, the characters that each column allows, and the form of the whole. */
interface Field {
  readonly name: string;
  readonly length: number;
  readonly chars: RegExp;
  readonly form?: RegExp;
}

const LETTERS = /[A-Z]/;
const DIGITS = /[0-9]/;
const ALPHANUMERIC = /[A-Z0-9 ]/;
const PRINTABLE = /[ -~]/;
const HEX = /[0-9A-F]/;

const field = (name: string, length: number, chars = ALPHANUMERIC, form?: RegExp): Field =>
  form === undefined ? { name, length, chars } : { name, length, chars, form };

const DAY_OF_YEAR = /^(00[1-9]|0[1-9]\d|[12]\d\d|3[0-5]\d|36[0-6])$/;
const size = field("a length in hexadecimal digits", 2, HEX);

const HEAD: readonly Field[] = [
  field("the format M", 1, /M/),
  field("the number of legs", 1, /[1-9]/),
  field("a name", 20, /[A-Z/ .'-]/, /^[A-Z]/),
  field("the e-ticket indicator", 1, /[E ]/),
];

const LEG: readonly Field[] = [
  field("a record locator", 7, ALPHANUMERIC, /^[A-Z0-9]{5,7} *$/),
  field("an airport", 3, LETTERS),
  field("an airport", 3, LETTERS),
  field("a carrier", 3, ALPHANUMERIC, /^[A-Z0-9]{2}/),
  field("a flight number", 5, ALPHANUMERIC, /^\d{4}[A-Z ]$/),
  field("a day of the year", 3, DIGITS, DAY_OF_YEAR),
  field("a compartment", 1),
  field("a seat", 4),
  field("a check-in sequence number", 5),
  field("a passenger status", 1),
];
/** Column of the day within a leg, from 0. */
const DAY_AT = 21;

const tag = field("a bag tag number of 13 digits", 13, /[0-9 ]/, /^(\d{13}| {13})$/);
/** Once per pass, in the first leg's block. */
const SHARED: readonly Field[] = [
  field("a passenger description", 1),
  field("a source of check-in", 1),
  field("a source of issue", 1),
  field("a date of issue", 4, /[0-9 ]/, /^(\d(?:00[1-9]|0[1-9]\d|[12]\d\d|3[0-5]\d|36[0-6])| {4})$/),
  field("a document type", 1),
  field("an issuer", 3),
  tag,
  tag,
  tag,
];
/** Column of the date of issue within {@link SHARED}, from 0. */
const ISSUED_AT = 3;

/** Of each leg. */
const OWN: readonly Field[] = [
  field("an airline's numeric code", 3, /[0-9 ]/),
  field("a document number", 10),
  field("a selectee indicator", 1),
  field("a document check", 1),
  field("a marketing carrier", 3),
  field("a frequent flyer's airline", 3),
  field("a frequent flyer number", 16, PRINTABLE),
  field("an ID/AD indicator", 1),
  field("a baggage allowance", 3),
  field("a fast-track indicator", 1, /[YN ]/),
];

/** What is read by its position rather than by the library: days, which state no year. */
export interface BcbpLayout {
  /** Per leg: its day of the year, and the column where it stands, from 1. */
  readonly days: readonly { readonly day: number; readonly column: number }[];
  /** Last digit of the year, and day of the year, on which the pass was issued, where it says so. */
  readonly issued: { readonly digit: number; readonly day: number; readonly column: number } | undefined;
}

/** Checks every column of `text`. Throws {@link FormatError} `BCBP` at the first that is wrong. */
export function layOut(text: string): BcbpLayout {
  const reader = new Reader(text);
  reader.fields(HEAD);
  const legs = Number(text[1]);
  const days = [];
  let issued: BcbpLayout["issued"];
  for (let leg = 0; leg < legs; leg++) {
    const start = reader.at;
    reader.fields(LEG);
    days.push({ day: Number(text.slice(start + DAY_AT, start + DAY_AT + 3)), column: start + DAY_AT + 1 });
    const end = reader.size();
    if (leg === 0 && reader.at < end) issued = readShared(reader, text, end);
    if (reader.at < end) reader.within(OWN, reader.size(end));
    reader.rest(end);
  }
  if (!reader.isDone()) {
    reader.one(field("a signature or the end", 1, /\^/));
    reader.one(field("the type of a signature", 1));
    reader.rest(reader.size());
  }
  reader.finish();
  return { days, issued };
}

/** Reads the first part of the first leg's block; returns the date of issue. */
function readShared(reader: Reader, text: string, end: number): BcbpLayout["issued"] {
  reader.one(field("the sign >", 1, />/), end);
  reader.one(field("a version", 1, /[1-9]/), end);
  const sharedEnd = reader.size(end);
  const at = reader.at + ISSUED_AT;
  reader.within(SHARED, sharedEnd);
  const date = at + 4 <= sharedEnd ? text.slice(at, at + 4).trim() : "";
  if (date === "") return undefined;
  return { digit: Number(date[0]), day: Number(date.slice(1)), column: at + 1 };
}

/** Walks along the text; `at` counts from 0, errors from 1. */
class Reader {
  at = 0;
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }

  isDone(): boolean {
    return this.at >= this.#text.length;
  }

  fields(fields: readonly Field[]): void {
    for (const one of fields) this.one(one);
  }

  /** Reads one field, which must not pass `end`. */
  one({ name, length, chars, form }: Field, end = this.#text.length): void {
    const value = this.#text.slice(this.at, Math.min(this.at + length, end, this.#text.length));
    const wrong = [...value].findIndex((char) => !chars.test(char));
    if (wrong >= 0) throw new FormatError("BCBP", this.at + wrong + 1, name);
    if (value.length < length) throw new FormatError("BCBP", this.at + value.length + 1, name);
    if (form !== undefined && !form.test(value)) throw new FormatError("BCBP", this.at + 1, name);
    this.at += length;
  }

  /**
   * Reads a hexadecimal length. Returns where the measured part ends; that must not pass the end of its
   * `block`.
   */
  size(block?: number): number {
    const isWithin = block !== undefined;
    const end = block ?? this.#text.length;
    const column = this.at;
    this.one(size, end);
    const stop = this.at + Number.parseInt(this.#text.slice(column, column + 2), 16);
    if (stop <= end) return stop;
    if (isWithin) throw new FormatError("BCBP", column + 1, "a length within its block");
    throw new FormatError("BCBP", end + 1, "a block as long as announced");
  }

  /** Reads as many of `fields` as reach to `end`: none may be cut in two, and nothing may follow the last. */
  within(fields: readonly Field[], end: number): void {
    for (const one of fields) {
      if (this.at >= end) return;
      this.one(one, end);
    }
    if (this.at < end) throw new FormatError("BCBP", this.at + 1, "the end of the block");
  }

  /** Skips what belongs to others, up to `end`. */
  rest(end: number): void {
    this.one(field("a printable character", end - this.at, PRINTABLE), end);
  }

  finish(): void {
    if (!this.isDone()) throw new FormatError("BCBP", this.at + 1, "the end");
  }
}
