/** `YYYY-MM-DD`, so many days from today. */
export const dayAhead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** The day on which the bookings of the development data fly. */
export const TOMORROW = dayAhead(1);
