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
