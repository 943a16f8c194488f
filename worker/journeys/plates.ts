import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { bags, flights, journeys, pastBags, plateRanges, travelPlans } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { inList, insertFrom } from "../database/batch.ts";
import { daysSince } from "../database/idempotency.ts";

/**
 * Licence plates from an airline's own range (rules §4). Serials are allocated in order, and from the first
 * again after the last. A serial is skipped while a bag from any source carries it within some days of the
 * flight.
 */

/** The ten digits of `serial` in a range. */
const plateOf = (serial: SQL): SQL => sql`(leading || issuer || printf('%06d', ${serial}))`;

/**
 * Takes the next free serial for the journey's airline, if `when` holds; at most one. One statement does it,
 * so that concurrent callers each get a different serial and none is left out. The row then carries this
 * request's id, by which {@link allocatedPlate} finds it in the same batch. `when` is a condition over
 * `journeys` and `travel_plans`.
 */
export function allocatePlate(ctx: BearerContext, when: SQL) {
  const { db, requestId } = ctx;
  const isTaken = (serial: SQL) => isInUse(ctx, plateOf(serial), sql`source.day`);
  const taken = sql`with recursive source as materialized (
      select ${plateRanges.airline} as owner, ${plateRanges.leading} as leading, ${plateRanges.issuer} as issuer,
        ${plateRanges.firstSerial} as first, ${plateRanges.lastSerial} as last, ${plateRanges.nextSerial} as next,
        ${travelPlans.firstFlightDate} as day
      from ${journeys}
      inner join ${travelPlans} on ${travelPlans.id} = ${journeys.planId}
      inner join ${plateRanges} on ${plateRanges.airline} = ${travelPlans.airline}
      where ${when}
    ),
    walk(serial, steps) as (
      select next, 0 from source
      union all
      select case when serial >= last then first else serial + 1 end, steps + 1 from walk, source
      where steps < last - first and ${isTaken(sql`serial`)}
    )
    select owner, leading, issuer, first, last, serial
    from source, (select serial from walk order by steps desc limit 1) where not ${isTaken(sql`serial`)}`;
  const row = {
    airline: sql`owner`,
    leading: sql`leading`,
    issuer: sql`issuer`,
    firstSerial: sql`first`,
    lastSerial: sql`last`,
    nextSerial: sql`case when serial >= last then first else serial + 1 end`,
    issuedSerial: sql`serial`,
    requestId,
  };
  // An upsert of the range's own row: D1's batch does not take a statement that is only text.
  return insertFrom(db, plateRanges, row, sql`from (${taken}) as taken where true`).onConflictDoUpdate({
    target: plateRanges.airline,
    set: {
      nextSerial: sql`excluded.next_serial`,
      issuedSerial: sql`excluded.issued_serial`,
      requestId: sql`excluded.request_id`,
    },
  });
}

/** Whether any bag carries `plate` within some days of `day`, or one of a past booking rests with it. */
export function isInUse({ settings, now }: BearerContext, plate: SQL | string, day: SQLWrapper): SQL {
  const days = settings.limits.plateRestDays;
  const resting = inList(daysSince(now, settings.limits.journeyRetentionSeconds));
  return sql`(exists (select 1 from ${bags} where ${bags.licencePlate} = ${plate} and ${bags.flightDate}
      between date(${day}, ${`-${days} days`}) and date(${day}, ${`+${days} days`}))
    or exists (select 1 from ${pastBags} where ${pastBags.day} in ${resting}
      and ${pastBags.licencePlate} = cast(${plate} as integer)
      and abs(${pastBags.flightDay} - unixepoch(${day}) / 86400) <= ${days}))`;
}

/**
 * The other airline whose range has `plate`, unless the booking has one of its flights; null where there is none. An expression
 * over `travel_plans`.
 */
export const foreignOwner = (plate: string): SQL<string | null> =>
  sql`(select ${plateRanges.airline} from ${plateRanges}
    where ${plateRanges.leading} || ${plateRanges.issuer} = ${plate.slice(0, 4)}
      and ${Number(plate.slice(4))} between ${plateRanges.firstSerial} and ${plateRanges.lastSerial}
      and ${plateRanges.airline} <> ${travelPlans.airline}
      and not exists (select 1 from ${journeys} as one inner join ${flights} on ${flights.journeyId} = one.id
        where one.plan_id = ${travelPlans.id} and ${flights.carrier} = ${plateRanges.airline})
    limit 1)`;

/** Condition over `plate_ranges` joined by airline: this request took its last serial. */
export const isAllocated = ({ requestId }: BearerContext): SQL =>
  sql`${plateRanges.requestId} = ${requestId}`;

/** The plate that this request took, and its readable form. */
export const allocatedPlate = {
  digits: plateOf(sql`${plateRanges.issuedSerial}`),
  readable: sql`(${plateRanges.airline} || printf('%06d', ${plateRanges.issuedSerial}))`,
};
