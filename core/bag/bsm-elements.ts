import { FormatError } from "./errors.ts";
import { isLicencePlate } from "./licence-plate.ts";
import { TICKET_DAY } from "./payload.ts";

/**
 * Elements of a baggage source message: one line each, `.X/field/field` (IATA RP 1745). Elements that name a
 * bag, flight or passenger are read; of the others only the form is checked.
 */

/** A flight as a message names it. */
export interface BsmFlight {
  readonly carrier: string;
  /** Digits, perhaps with a letter; zeros are neither added nor removed. */
  readonly number: string;
  /** `YYYY-MM-DD`; the year is inferred. */
  readonly date: string;
  /** Where it comes from (`.I`) or goes to (`.F`, `.O`). */
  readonly airport: string;
  readonly travelClass?: string;
}

/** A line of a message, from 1, and the fields after its letter. */
export interface BsmElement {
  readonly line: number;
  readonly letter: string;
  readonly fields: readonly string[];
}

const DAY = 86_400_000;
const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

export const wrong = (line: number, expected: string) => new FormatError("BSM", line, expected);

/** The element on `line`. Throws {@link FormatError} `BSM`. */
export function readElement(text: string, line: number): BsmElement {
  const [, letter, rest] = /^\.([A-Z])\/([ -~]*)$/.exec(text) ?? [];
  if (letter === undefined || rest === undefined || rest.trim() === "") {
    throw wrong(line, "an element of the form .X/…");
  }
  return { line, letter, fields: rest.split("/") };
}

function matched(
  pattern: RegExp,
  element: BsmElement,
  text: string | undefined,
  expected: string,
): RegExpExecArray {
  const match = pattern.exec(text ?? "");
  if (match === null) throw wrong(element.line, expected);
  return match;
}

/** What is expected instead of a message in parts. */
export const WHOLE = "a message that is not in parts";

/** `.V/1LOSL`: version, source, station. */
export function readVersion(element: BsmElement): {
  readonly source: "L" | "T" | "X" | "R";
  readonly station: string;
} {
  const [, source, station] = matched(
    /^\d([LTXR])([A-Z]{3})$/,
    element,
    element.fields[0],
    "version, source, station",
  );
  if (element.fields.some((field) => /^PART *\d/.test(field))) throw wrong(element.line, WHOLE);
  return { source: source as "L" | "T" | "X" | "R", station: station as string };
}

/** When a message is read, in milliseconds since 1970, and how far away its flights may be. */
export interface BsmClock {
  readonly now: number;
  readonly reach?: FlightReach;
}

/** `.F/SK1234/03MAY/ARN/Y`, and `.I` and `.O` alike; the class may be left out. */
export function readFlight(element: BsmElement, { now, reach }: BsmClock): BsmFlight {
  const [flight, day, airport, travelClass = "", ...more] = element.fields;
  const designator = /^((?=.?[A-Z])[A-Z0-9]{2}[A-Z]?)([0-9]{1,4}[A-Z]?)$/;
  const [, carrier, number] = matched(designator, element, flight, "a flight number");
  const date = yearOf(matched(TICKET_DAY, element, day, "a day of the form 03MAY"), now);
  if (date === undefined) throw wrong(element.line, "a day of the calendar");
  const fault = reach && beyondReach(date, now, reach);
  if (fault !== undefined) throw wrong(element.line, `a day ${fault}`);
  matched(/^[A-Z]{3}$/, element, airport, "an airport");
  matched(/^[A-Z]?$/, element, travelClass, "a class of one letter");
  if (more.length > 0) throw wrong(element.line, "flight, day, airport and class alone");
  return {
    carrier: carrier as string,
    number: number as string,
    date,
    airport: airport as string,
    ...(travelClass === "" ? {} : { travelClass }),
  };
}

/** The day `ddMMM` nearest to `now`, of all years. */
function yearOf([, day, month]: RegExpExecArray, now: number): string | undefined {
  const year = new Date(now).getUTCFullYear();
  const days = Array.from(
    { length: 9 },
    (_, i) => new Date(Date.UTC(year - 4 + i, MONTHS.indexOf(month as string), Number(day))),
  );
  return days
    .filter((date) => date.getUTCDate() === Number(day))
    .toSorted((a, b) => distance(a, now) - distance(b, now))[0]
    ?.toISOString()
    .slice(0, 10);
}

const distance = (date: Date, now: number) => Math.abs(date.getTime() + DAY / 2 - now);

/** `.N/0117123456002`: the first plate and the count of plates in a row; at most `most` of them. */
export function readPlates(element: BsmElement, most: number): readonly string[] {
  const expected = "ten digits of the plate and three of the count";
  const [, first, digits] = matched(/^(\d{10})(\d{3})$/, element, element.fields[0], expected);
  const [plate, count] = [first as string, Number(digits)];
  if (element.fields.length > 1 || count === 0) throw wrong(element.line, expected);
  if (count > most) throw wrong(element.line, "no more plates than a passenger has bags");
  if (!isLicencePlate(plate)) throw wrong(element.line, "a plate that is not all zero");
  const serial = Number(plate.slice(4));
  if (serial + count > 1_000_000) throw wrong(element.line, "plates of one range");
  return Array.from({ length: count }, (_, i) => plate.slice(0, 4) + String(serial + i).padStart(6, "0"));
}

/** A passenger as a message names them. */
export interface BsmName {
  readonly surname: string;
  readonly givenName: string;
}

/**
 * `.P/2LOVELACE/ADA/ANNE`: the number of passengers with the surname, if given, the surname, and a given name for
 * each, no longer than those of a booking as JSON. `isWhole` is false where it has more or fewer given names than it
 * counts passengers.
 */
export function readNames(element: BsmElement): {
  readonly names: readonly BsmName[];
  readonly isWhole: boolean;
} {
  const [first, givenName = "", ...others] = element.fields;
  const [, digits, text] = matched(/^(\d{0,3})([A-Z][A-Z .'-]{0,63})$/, element, first, "a surname");
  for (const given of element.fields.slice(1)) matched(/^[A-Z .'-]{0,64}$/, element, given, "a given name");
  const surname = (text as string).trim();
  const count = Math.max(1, Number(digits));
  const further = others
    .slice(0, Math.min(count, MOST_PASSENGERS) - 1)
    .filter((given) => given.trim() !== "");
  const names = [givenName, ...further].map((given) => ({ surname, givenName: given.trim() }));
  return { names, isWhole: names.length === count && further.length === others.length };
}

/** Of a booking. */
export const MOST_PASSENGERS = 99;

/** `.L/ABC123`, or with the airline that gave it out: `.L/ABC123/SK`. */
export function readLocator(element: BsmElement): {
  readonly recordLocator: string;
  readonly airline?: string;
} {
  const form = /^([A-Z0-9]{5,8})(?:\/([A-Z0-9]{2,3}))?$/;
  const [, recordLocator, airline] = matched(form, element, element.fields.join("/"), "a record locator");
  return { recordLocator: recordLocator as string, ...(airline === undefined ? {} : { airline }) };
}

/** `.E/PRIO`. */
export function readException(element: BsmElement): string {
  return matched(/^[A-Z0-9]{1,4}$/, element, element.fields[0], "an exception code")[0];
}

/** Checks the form of elements that are not kept. */
export function checkElement(element: BsmElement): void {
  if (element.letter === "S") matched(/^[YN]?$/, element, element.fields[0], "authority to load, Y or N");
  if (element.letter === "W") matched(/^[PKL]$/, element, element.fields[0], "the unit P, K or L");
}

/** How many days from today the flights of an airline may be. */
export interface FlightReach {
  readonly aheadDays: number;
  readonly behindDays: number;
}

/**
 * Why the day `date` (`YYYY-MM-DD`) is refused at `now` (milliseconds since 1970), as a sentence about what
 * it must be.
 */
export function beyondReach(
  date: string,
  now: number,
  { aheadDays, behindDays }: FlightReach,
): string | undefined {
  const days = Math.round(Date.parse(date) / DAY) - Math.floor(now / DAY);
  if (days > aheadDays) return `at most ${aheadDays} days ahead`;
  if (days < -behindDays) return `at most ${behindDays} days ago`;
  return undefined;
}
