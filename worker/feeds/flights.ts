import type { FlightReach } from "../../core/bag/flight-reach.ts";
import type { RequestContext } from "../context.ts";

/** How far from today the flights of a feed may be: locks last until after the last flight (rules §4). */
export function flightReach({ settings }: RequestContext): FlightReach {
  const { flightAheadDays: aheadDays, flightBehindDays: behindDays } = settings.limits;
  return { aheadDays, behindDays };
}
