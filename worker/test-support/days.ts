const DAY = 86_400_000;
const HALF_AN_HOUR = 1_800_000;

/** This runtime's files have one today, and one tomorrow, although midnight (UTC) may come while they run. */
const BEGAN = Date.now();
const LEFT = DAY - (BEGAN % DAY);
/** Where the day is nearly over, clocks are in the next: what is counted by days is of one. Milliseconds. */
const AHEAD = LEFT < HALF_AN_HOUR ? LEFT : 0;

/** Where a service's clock begins, in milliseconds since 1970. */
export const beginningOfClock = (): number => Date.now() + AHEAD;

/** The number of a day (UTC) since 1970. */
export const dayOf = (milliseconds: number): number => Math.floor(milliseconds / DAY);

/** `YYYY-MM-DD`, so many days from today. */
export const dayAhead = (days: number) => new Date(BEGAN + AHEAD + days * DAY).toISOString().slice(0, 10);

/** The day on which the bookings of the development data fly. */
export const TOMORROW = dayAhead(1);
