import type { FlightReach } from "../../core/bag/bsm-elements.ts";
import type { RequestContext } from "../context.ts";
import type { FedFlight, FedPlan } from "./model.ts";

/** How far from today the flights of a feed may be: locks last until after the last flight (rules §4). */
export function flightReach({ settings }: RequestContext): FlightReach {
  const { flightAheadDays: aheadDays, flightBehindDays: behindDays } = settings.limits;
  return { aheadDays, behindDays };
}

/** When the locks of a booking end after a feed (rules §5): no feed may end one early. */

const DAY = 86_400_000;

type Limits = RequestContext["settings"]["limits"];

/** The end of a journey with these flights (rules §2). */
export function endOf(
  limits: Pick<Limits, "lockAfterArrivalSeconds" | "lockAfterFlightDateSeconds">,
  own: readonly FedFlight[],
): number {
  const last = own.at(-1);
  if (last === undefined) return 0;
  return last.scheduledArrival === null
    ? Date.parse(last.date) + limits.lockAfterFlightDateSeconds * 1_000
    : last.scheduledArrival + limits.lockAfterArrivalSeconds * 1_000;
}

/** The end of a booking with these journeys. */
export const endOfPlan = (limits: Limits, { journeys }: Pick<FedPlan, "journeys">): number =>
  Math.max(...journeys.map(({ flights }) => endOf(limits, flights)));

/**
 * A lock's end may move earlier, but not before this instant: 24 hours after the end (UTC) of the day of the last flight.
 * That is the day the flight had before the feed, or an earlier one it has now, but none that is past: what has flown
 * already is no rebooking.
 */
export function earliestEnd({ now }: Pick<RequestContext, "now">, { journeys }: FedPlan): number {
  const known = journeys.filter(({ isNew }) => !isNew);
  const before = lastDay(known.map(({ flightsBefore }) => flightsBefore));
  const after = lastDay(journeys.map(({ flights }) => flights));
  return Math.min(before, Math.max(after, now - (now % DAY))) + 2 * DAY;
}

const lastDay = (all: readonly (readonly FedFlight[])[]) =>
  Math.max(
    ...all.map((flights) => Date.parse(flights.at(-1)?.date ?? "")).filter((day) => !Number.isNaN(day)),
  );

/** Whether the feed would end a live lock of the booking early. */
export function endsLockEarly(ctx: RequestContext, plan: FedPlan): boolean {
  const { limits } = ctx.settings;
  const [end, earliest] = [endOfPlan(limits, plan), earliestEnd(ctx, plan)];
  return plan.locks.some(({ lockedAt, endsAt, entitled }) => {
    const life = (entitled ? limits.lockSeconds : limits.claimSeconds) * 1_000;
    return Math.min(end, lockedAt + life) < Math.min(endsAt, earliest);
  });
}
