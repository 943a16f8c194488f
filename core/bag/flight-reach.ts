/** How many days from today the flights of an airline may be. */
export interface FlightReach {
  readonly aheadDays: number;
  readonly behindDays: number;
}

const DAY = 86_400_000;

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
