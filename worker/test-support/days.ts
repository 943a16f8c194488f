const DAY = 86_400_000;
/** This runtime's files have one today, and one tomorrow, although midnight (UTC) may come while they run. */
const BEGAN = Date.now();
/** Half an hour before that midnight: long enough for what is counted by days. */
const LATEST = (Math.floor(BEGAN / DAY) + 1) * DAY - 30 * 60_000;

/** Where a service's clock begins: now, but never so late that it would soon be another day. Milliseconds since 1970. */
export const beginningOfClock = (): number => Math.min(Date.now(), LATEST);

/** `YYYY-MM-DD`, so many days from today. */
export const dayAhead = (days: number) => new Date(BEGAN + days * DAY).toISOString().slice(0, 10);

/** The day on which the bookings of the development data fly. */
export const TOMORROW = dayAhead(1);
