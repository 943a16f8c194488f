import type { Journey } from "../../sdk/index.ts";
import { isSameTag, tagsOf } from "./bag-tags.ts";

/**
 * Whether the last flight has landed by its schedule; if it has no schedule, whether its day is over at every airport.
 * `now`: milliseconds since 1970.
 */
export function hasArrived({ flights }: Journey, now: number): boolean {
  const last = flights.at(-1);
  if (last === undefined) return false;
  const { scheduledArrival, date } = last;
  // A day ends last at UTC−12.
  return now >= Date.parse(scheduledArrival ?? `${date}T24:00-12:00`);
}

/** Tags that still show a journey that is over: an old label can mis-sort the bag. */
export function tagsToClear(journey: Journey, now: number): readonly string[] {
  return hasArrived(journey, now)
    ? journey.baggage.flatMap((bag) => (bag.lost ? tagsOf(bag).slice(1) : tagsOf(bag)))
    : [];
}

/**
 * Whether the tap on "Clear tag …" is enough. Nothing brings a label back, so the page asks once more where somebody may
 * still need it: until the last flight has landed, and for a tag that is reported lost, whose holder may be looking at
 * another one. A tag that is locked to somebody else's journey asks for its proof by itself (rules §5).
 */
export const clearsAtOnce = (journey: Journey, device: string, now: number): boolean =>
  tagsToClear(journey, now).some((tag) => isSameTag(tag, device));

/** Whether the journey has nothing left to do: it has ended, and no tag shows it. */
export const isOver = (journey: Journey, now: number): boolean =>
  hasArrived(journey, now) && tagsToClear(journey, now).length === 0;
