import type { FlightReach } from "../../core/bag/flight-reach.ts";
import type { RequestContext } from "../context.ts";

/** How far off the flights of a feed may be: locks last as long as flights are to come (rules §4). */
export function flightReach({ settings }: RequestContext): FlightReach {
  const { flightAheadDays: aheadDays, flightBehindDays: behindDays } = settings.limits;
  return { aheadDays, behindDays };
}
