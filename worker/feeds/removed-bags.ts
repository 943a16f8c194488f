import { type SQL, sql } from "drizzle-orm";
import { bags, flights, journeys, removedBags, travelPlans } from "../../db/schema.ts";
import { type AuditEntry, audited } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { insertFrom } from "../database/batch.ts";

/**
 * Records that the bags of `which` go: statements before those that delete them. `which` is a condition over `bags`,
 * `journeys` and `travel_plans`. Their flights stay for a message to sorters (audit/baggage-message.ts), because a withdrawal
 * deletes the journey, too.
 */
export function recordRemoval(
  ctx: BearerContext,
  which: SQL,
  entry: Pick<AuditEntry, "sub" | "clientId" | "reason">,
) {
  const { db, now, settings } = ctx;
  const from = sql`from ${bags} inner join ${journeys} on ${journeys.id} = ${bags.journeyId}
    inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId} where ${which}`;
  const bag = { journeyId: bags.journeyId, baggageId: bags.id, licencePlate: bags.licencePlate };
  const row = {
    id: bags.id,
    licencePlate: bags.licencePlate,
    flightDate: bags.flightDate,
    flights: flightsOfJourney,
    cabin: journeys.cabin,
    endsAt: sql`min(${travelPlans.endsAt}, ${now + settings.limits.auditKeepSeconds * 1_000})`,
  };
  return [
    audited(ctx, { event: "bag_removed", ...entry, airline: travelPlans.airline, ...bag }, from),
    insertFrom(db, removedBags, row, from).onConflictDoNothing(),
  ];
}

const flightsOfJourney = sql`(select json_group_array(json_object('carrier', leg.carrier, 'number', leg.number,
    'date', leg.date, 'from', leg.from_airport, 'to', leg.to_airport))
  from (select * from ${flights} where ${flights.journeyId} = ${journeys.id} order by ${flights.position}) as leg)`;
