import { and, eq, gt, type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { guessCounters, travelPlans } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { insertFrom, parameter } from "../database/batch.ts";

/**
 * Which bookings staff have loaded (rules §4, "Masked"). Any person at a kiosk can use its session, so at clients with
 * `requireStaffPin` it sees the names of bookings that its account has loaded, and of no others. A load does not make
 * staff a holder: it is a row of `guess_counters`, not of `loaded_plans`.
 */

/** Whether the caller has to load a booking before its names are shown. */
export const requiresLoad = ({ client, principal }: BearerContext): boolean =>
  principal.staff && client.flags.requireStaffPin === true;

const keyOf = (sub: string | Placeholder, planId: SQLWrapper): SQL =>
  sql`'loaded:' || json_array(${sub}, ${planId})`;

/** Records that staff have loaded the booking, until it is past: a statement, at these clients alone. */
export function recordStaffLoad(ctx: BearerContext, planId: string, canOpen: SQL) {
  if (!requiresLoad(ctx)) return undefined;
  const row = {
    key: keyOf(ctx.principal.sub, travelPlans.id),
    count: 1,
    endsAt: travelPlans.endsAt,
    requestId: ctx.requestId,
  };
  const which = and(eq(travelPlans.id, planId), gt(travelPlans.endsAt, ctx.now), canOpen);
  return insertFrom(ctx.db, guessCounters, row, sql`from ${travelPlans} where ${which}`).onConflictDoUpdate({
    target: guessCounters.key,
    set: { endsAt: sql`excluded.ends_at` },
  });
}

/** Whether the caller is staff and has not loaded the booking `planId`. Parameters: `isStaff`, `sub`, `now`. */
export const isUnloaded = (planId: SQLWrapper): SQL<number> =>
  sql<number>`(${parameter("isStaff")} and not exists (select 1 from ${guessCounters}
    where ${guessCounters.key} = ${keyOf(parameter("sub"), planId)} and ${guessCounters.endsAt} > ${parameter("now")}))`;
