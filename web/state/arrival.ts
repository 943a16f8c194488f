import type { Journey } from "../../sdk/index.ts";
import { tagsOf } from "./bag-tags.ts";

const DAY = 86_400_000;

/**
 * Whether the last flight has landed by its schedule; if it has no schedule, whether its day is over. `now`:
 * milliseconds since 1970.
 */
export function hasArrived({ flights }: Journey, now: number): boolean {
  const last = flights.at(-1);
  if (last === undefined) return false;
  const { scheduledArrival, date } = last;
  return now >= (scheduledArrival ? Date.parse(scheduledArrival) : Date.parse(`${date}T00:00:00Z`) + DAY);
}

/** Tags that still show a journey that is over: an old label can mis-sort the bag. */
export function tagsToClear(journey: Journey, now: number): readonly string[] {
  return hasArrived(journey, now)
    ? journey.baggage.flatMap((bag) => (bag.lost ? tagsOf(bag).slice(1) : tagsOf(bag)))
    : [];
}

/** Whether the journey has nothing left to do: it has ended, and no tag shows it. */
export const isOver = (journey: Journey, now: number): boolean =>
  hasArrived(journey, now) && tagsToClear(journey, now).length === 0;
