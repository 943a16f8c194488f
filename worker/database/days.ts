/** Days since 1970, in UTC: rows that end by whole days are found by theirs. */

const DAY = 86_400_000;

/** The day of `time`, in milliseconds since 1970. */
export const dayOf = (time: number): number => Math.floor(time / DAY);

/** The days of the last `seconds`. A list, as a range would scan the key. */
export function daysSince(now: number, seconds: number): readonly number[] {
  const first = dayOf(now - seconds * 1_000);
  return Array.from({ length: dayOf(now) - first + 1 }, (_, i) => first + i);
}

/** The newest of the days whose rows have all ended after `seconds`. */
export const lastDayBefore = (now: number, seconds: number): number => dayOf(now - seconds * 1_000) - 1;
