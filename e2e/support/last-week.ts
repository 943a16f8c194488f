import type { Journey } from "../../sdk/index.ts";

/** The same journey, a week ago. */
export function lastWeek(journey: Journey): Journey {
  const earlier = (moment: string) => new Date(Date.parse(moment) - 7 * 86_400_000).toISOString();
  return {
    ...journey,
    flights: journey.flights.map(({ scheduledArrival, scheduledDeparture, ...flight }) => ({
      ...flight,
      date: earlier(flight.date).slice(0, 10),
      ...(scheduledArrival ? { scheduledArrival: earlier(scheduledArrival) } : {}),
      ...(scheduledDeparture ? { scheduledDeparture: earlier(scheduledDeparture) } : {}),
    })),
  };
}
