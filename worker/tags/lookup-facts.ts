import { sql } from "drizzle-orm";
import { failedProofs, flights, journeys, deviceTicketLocks as lock, travelPlans } from "../../db/schema.ts";
import { type FactsOf, snapshot } from "../database/batch.ts";
import { failedAtLock } from "../guards/failed-proofs.ts";
import { namedDevices, now, ofTag } from "./facts.ts";

/** What a look-up answers from (endpoint 10), beside the facts of its tag. */

const flightDay = (which: "min" | "max") =>
  sql<
    string | null
  >`(select ${sql.raw(which)}(${flights.date}) from ${flights} where ${flights.journeyId} = ${lock.journeyId})`;

export const ofLookup = {
  ...ofTag,
  /** What endpoint 10 shows of a lock. */
  shown: snapshot(
    {
      deviceId: lock.deviceId,
      locatorSealed: travelPlans.locatorSealed,
      surnameInitial: sql<string | null>`${journeys.surnameInitial}`,
      departureAirport: sql<string | null>`${journeys.departureAirport}`,
      destinationAirport: sql<string | null>`${journeys.destinationAirport}`,
      firstFlight: flightDay("min"),
      lastFlight: flightDay("max"),
      bagOnOtherTag: sql<number>`exists (select 1 from ${lock} as further
        where further.plan_id = ${lock.planId} and further.baggage_id = ${lock.baggageId}
          and further.entitled and further.ends_at > ${now} and further.device_id <> ${lock.deviceId})`,
      failures: sql<number | null>`${failedProofs.count}`,
      lastFailedAt: sql<number | null>`${failedProofs.lastAt}`,
    },
    // If a journey was removed from its booking, the tag stays locked to the booking.
    sql`from ${lock} inner join ${travelPlans} on ${travelPlans.id} = ${lock.planId}
      left join ${journeys} on ${journeys.id} = ${lock.journeyId} left join ${failedProofs} on ${failedAtLock()}
      where ${lock.deviceId} in ${namedDevices}`,
    { isGuarded: false },
  ),
};

export type LookupFacts = FactsOf<typeof ofLookup>;
