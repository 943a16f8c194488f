import { layOut } from "./bcbp-layout.ts";
import { isLicencePlate } from "./licence-plate.ts";
import { foldLocator } from "./record-locator.ts";

/**
 * Days of a boarding pass, which states no full year (Resolution 792): the date of issue has the last digit
 * of its year, a flight has no year at all. Days are `YYYY-MM-DD`.
 */

const DAY = 86_400_000;
/** A pass may come from a place where the next day has already begun. */
const AHEAD = DAY;

/** Midnight UTC of day number `day` of `year`, undefined where it has no such day. */
function dayOfYear(year: number, day: number): number | undefined {
  const time = Date.UTC(year, 0, day);
  return day > 0 && new Date(time).getUTCFullYear() === year ? time : undefined;
}

const daysOf = (years: readonly number[], day: number) =>
  years.map((year) => dayOfYear(year, day)).filter((time) => time !== undefined);

const yearsAround = (year: number, reach: number) =>
  Array.from({ length: 2 * reach + 1 }, (_, i) => year - reach + i);

function nearest(times: readonly number[], now: number): number | undefined {
  return times.toSorted((a, b) => Math.abs(a - now) - Math.abs(b - now))[0];
}

/**
 * When a pass was issued: in this year, the last or the next, whichever ends in `digit`; `now` in milliseconds.
 * Undefined where none of them does, or that one has no such day.
 */
export function issueTime(
  { digit, day }: { readonly digit: number; readonly day: number },
  now: number,
): number | undefined {
  const years = yearsAround(new Date(now).getUTCFullYear(), 1).filter((year) => year % 10 === digit);
  return daysOf(years, day)[0];
}

/**
 * The day of a flight: the first such day on or after the date of issue, or, where that is unknown or leads to no
 * such day, the one nearest to `now`. `day` is 1 to 366.
 */
export function flightDay(
  { day }: { readonly day: number },
  { issued, now }: { readonly issued: number | undefined; readonly now: number },
): string {
  const after = issued === undefined ? [] : daysOf(yearsAround(new Date(issued).getUTCFullYear(), 1), day);
  const around = daysOf(yearsAround(new Date(now).getUTCFullYear(), 8), day);
  const time = after.find((time) => time >= (issued as number) - AHEAD) ?? (nearest(around, now) as number);
  return new Date(time).toISOString().slice(0, 10);
}

/**
 * Bar-coded boarding passes (IATA Resolution 792). As a rule a pass is not signed: anyone who has one, or has seen a
 * picture of one, can make the same. Nothing may be created from it.
 */
export interface BoardingPass {
  /**
   * As printed: upper case, without diacritics; the whole field `SURNAME/GIVEN` is cut after twenty letters.
   */
  readonly surname: string;
  /** Absent where the field had no room for it. */
  readonly givenName?: string;
  readonly legs: readonly BoardingPassLeg[];
  /** Plates of the bags that were checked in when the pass was made. */
  readonly bagTags: readonly BagTagRange[];
}

/** One flight. The legs may belong to several bookings and carriers. */
export interface BoardingPassLeg {
  readonly recordLocator: string;
  readonly from: string;
  readonly to: string;
  readonly carrier: string;
  /** Four digits, perhaps with a letter. */
  readonly number: string;
  /** `YYYY-MM-DD`; the year is inferred. */
  readonly date: string;
}

/** `count` plates in a row, beginning with `licencePlate`. */
export interface BagTagRange {
  readonly licencePlate: string;
  readonly count: number;
}

/** Conditional data that cannot be read, and is dropped. */
export type UnreadPart =
  | "a block"
  | "the header of the first block"
  | "the date of issue"
  | "a bag tag number";

/**
 * The boarding pass in `text`, as a scanner gives it; `now`, in milliseconds since 1970, decides the years.
 * `onUnread` learns which conditional data was dropped. Throws FormatError `BCBP` with the wrong column of the
 * mandatory ones.
 */
export function parseBcbp(
  text: string,
  now: number,
  onUnread: (part: UnreadPart) => void = () => undefined,
): BoardingPass {
  const { name, legs, firstBlock, isWhole } = layOut(text);
  if (!isWhole) onUnread("a block");
  const shared = sharedOf(firstBlock, onUnread);
  const issued = issuedOn(shared.slice(3, 7), now, onUnread);
  const [surname = "", givenName = ""] = name.split(/\/(.*)/s);
  return {
    surname: surname.trim(),
    ...(givenName.trim() === "" ? {} : { givenName: givenName.trim() }),
    legs: legs.map(({ recordLocator, day, ...leg }) => ({
      ...leg,
      recordLocator: foldLocator(recordLocator),
      date: flightDay({ day: Number(day) }, { issued, now }),
    })),
    bagTags: [11, 24, 37].flatMap((at) => bagTagOf(shared.slice(at, at + 13), onUnread)),
  };
}

/** What all legs share: the first block has `>`, a version, a hexadecimal length and that much of it. */
function sharedOf(block: string, onUnread: (part: UnreadPart) => void): string {
  const [, size = "", fields = ""] = /^>.([0-9A-F]{2})(.*)$/s.exec(block) ?? [];
  const length = Number.parseInt(size, 16) || 0;
  if (block !== "" && (size === "" || length > fields.length)) onUnread("the header of the first block");
  return fields.slice(0, length);
}

/** `6122`: the last digit of the year, and the day of the year. */
function issuedOn(field: string, now: number, onUnread: (part: UnreadPart) => void): number | undefined {
  const time = /^\d{4}$/.test(field)
    ? issueTime({ digit: Number(field[0]), day: Number(field.slice(1)) }, now)
    : undefined;
  if (time === undefined && field.trim() !== "") onUnread("the date of issue");
  return time;
}

/** A plate and a count of three digits; zeros in place of either, or blanks, stand for no bags. */
function bagTagOf(field: string, onUnread: (part: UnreadPart) => void): readonly BagTagRange[] {
  if (/^(?:0* *|0{10}\d{3}|\d{10}000)$/.test(field)) return [];
  const [licencePlate, count] = [field.slice(0, 10), Number(field.slice(10))];
  if (/^\d{13}$/.test(field) && isLicencePlate(licencePlate)) return [{ licencePlate, count }];
  onUnread("a bag tag number");
  return [];
}

/**
 * What a boarding pass says at a glance, unchecked: enough to distinguish it from other codes and to ask the service
 * for it.
 */
export interface BcbpGlance {
  /** The name field, unchanged. */
  readonly name: string;
  /** Of the first leg. */
  readonly recordLocator: string;
}

/** The sixty columns that every pass has: the format M, one to nine legs, and the first of them (IATA Res. 792). */
const FIRST_LEG = /^M[1-9](?<name>.{20}).(?<recordLocator>.{7}).{30}/s;

/** Undefined where `text` is no boarding pass. `parseBcbp` decides whether it is a well-formed one. */
export function glanceAtBcbp(text: string): BcbpGlance | undefined {
  const { name, recordLocator } = FIRST_LEG.exec(text)?.groups ?? {};
  if (name === undefined || recordLocator === undefined) return undefined;
  return { name: name.trim(), recordLocator: recordLocator.trim() };
}
