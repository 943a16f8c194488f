import { BagError } from "./errors.ts";

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"] as const;

/** A day as tags print it: two digits and an English month, `03MAY`. */
export const TICKET_DAY = new RegExp(`^(0[1-9]|[12][0-9]|3[01])(${MONTHS.join("|")})$`);

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;
const SLASHED = /^(\d{2})\/(\d{2})\/(\d{4})$/;
const ZONED = /^(.+(?:Z|[+-]\d{2}:\d{2}))\[([A-Za-z0-9_+/-]+)\]$/;

/**
 * `ddMMM` of `date`: an ISO 8601 day, date-time (naive or with offset), date-time with `[Zone]`, or `dd/MM/yyyy`.
 * The day is the one at the airport: as written, or, where a zone is named, the instant seen in that zone.
 * Throws {@link BagError} `DATE` for anything else.
 */
export function ticketDay(date: string): string {
  const zoned = ZONED.exec(date);
  if (zoned) return dayInZone(zoned[1] as string, zoned[2] as string);
  const iso = ISO.exec(date);
  if (iso) return dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const slashed = SLASHED.exec(date);
  if (slashed) return dayOf(Number(slashed[3]), Number(slashed[2]), Number(slashed[1]));
  throw new BagError("DATE", "not a date in any accepted spelling");
}

function dayOf(year: number, month: number, day: number): string {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day)
    throw new BagError("DATE", "no such day");
  return `${String(day).padStart(2, "0")}${MONTHS[month - 1]}`;
}

function dayInZone(instant: string, timeZone: string): string {
  const time = ISO.test(instant) ? Date.parse(instant) : Number.NaN;
  if (Number.isNaN(time)) throw new BagError("DATE", "not an instant");
  const parts = partsInZone(time, timeZone);
  const value = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value);
  return dayOf(value("year"), value("month"), value("day"));
}

function partsInZone(time: number, timeZone: string): Intl.DateTimeFormatPart[] {
  const options = {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    year: "numeric",
    month: "numeric",
    day: "numeric",
  } as const;
  try {
    return new Intl.DateTimeFormat("en", options).formatToParts(time);
  } catch (cause) {
    throw new BagError("DATE", "no such time zone", cause);
  }
}
