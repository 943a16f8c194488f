/** How far from today an airline may speak of a flight, in days. */
export interface FlightReach {
  readonly aheadDays: number;
  readonly behindDays: number;
}

const DAY = 86_400_000;

/** What is wrong with the day `date` (`YYYY-MM-DD`) at `now` (milliseconds since 1970), said as what it must be. */
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
