import { FormatError } from "./errors.ts";

/**
 * Days of a boarding pass, which states no full year (Resolution 792): the date of issue has the last digit
 * of its year, a flight has no year at all. Days are `YYYY-MM-DD`.
 */

const DAY = 86_400_000;
/** A pass may come from a place where the next day has already begun. */
const AHEAD = DAY;

/** Midnight UTC of day number `day` of `year`, undefined for day 366 of a year that has 365. */
function dayOfYear(year: number, day: number): number | undefined {
  const time = Date.UTC(year, 0, day);
  return new Date(time).getUTCFullYear() === year ? time : undefined;
}

const yearsAround = (year: number, reach: number) =>
  Array.from({ length: 2 * reach + 1 }, (_, i) => year - reach + i);

function nearest(times: readonly number[], now: number): number | undefined {
  return times.toSorted((a, b) => Math.abs(a - now) - Math.abs(b - now))[0];
}

/** When a pass was issued: of the years that end in `digit`, the one nearest to `now` (milliseconds). */
export function issueTime(
  { digit, day, column }: { readonly digit: number; readonly day: number; readonly column: number },
  now: number,
): number {
  const years = yearsAround(new Date(now).getUTCFullYear(), 10).filter((year) => year % 10 === digit);
  const time = nearest(
    years.map((year) => dayOfYear(year, day)).filter((time) => time !== undefined),
    now,
  );
  if (time === undefined) throw new FormatError("BCBP", column, "a date of issue");
  return time;
}

/**
 * The day of a flight: the first such day on or after the date of issue, or, where that is unknown, the one
 * nearest to `now`. Throws {@link FormatError} `BCBP` at `column` if no year in reach has a day 366.
 */
export function flightDay(
  { day, column }: { readonly day: number; readonly column: number },
  { issued, now }: { readonly issued: number | undefined; readonly now: number },
): string {
  const from = issued ?? now;
  const times = yearsAround(new Date(from).getUTCFullYear(), issued === undefined ? 4 : 1)
    .map((year) => dayOfYear(year, day))
    .filter((time) => time !== undefined);
  const time = issued === undefined ? nearest(times, now) : times.find((time) => time >= issued - AHEAD);
  if (time === undefined) throw new FormatError("BCBP", column, "a day of the year");
  return new Date(time).toISOString().slice(0, 10);
}
