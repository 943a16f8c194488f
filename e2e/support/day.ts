import { setTimeout as sleep } from "node:timers/promises";
import type { Journey } from "../../sdk/index.ts";

const DAY = 86_400_000;
/** A service is filled in less, on any machine. */
const SOON = 60_000;

let filled = Date.now();

/** On which day the worker's service was filled: its journeys are on the next one, however long the run takes. */
export const today = (): number => filled;

/** Before a service is filled: waits where midnight (UTC) would come in between. */
export async function beginDay(): Promise<void> {
  const left = DAY - (Date.now() % DAY);
  if (left < SOON) await sleep(left);
  filled = Date.now();
}

/** The same journey, a week ago. */
export function lastWeek(journey: Journey): Journey {
  const earlier = (moment: string) => new Date(Date.parse(moment) - 7 * DAY).toISOString();
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
