import { and, eq, gt, type SQL, type SQLWrapper } from "drizzle-orm";
import { guessCounters, travelPlans } from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import type { BearerContext } from "../context.ts";
import { insertFrom } from "../database/statements.ts";

/**
 * Which bookings staff have loaded (rules §4, "Masked"). Everybody at a kiosk can reach its session, so at clients with
 * `requireStaffPin` it sees the names of bookings that its account has loaded, and of no others. A load does not make
 * staff a holder: it is a row of `guess_counters`, not of `loaded_plans`.
 */

const mustLoad = ({ client, principal }: BearerContext): boolean =>
  principal.staff && client.flags.requireStaffPin === true;

const keyOf = ({ principal }: BearerContext, planId: SQLWrapper): SQL =>
  sql`'loaded:' || json_array(${principal.sub}, ${planId})`;

/** Records that staff have loaded the booking, until it is past: a statement, at these clients alone. */
export function recordStaffLoad(ctx: BearerContext, planId: string, mayOpen: SQL) {
  if (!mustLoad(ctx)) return undefined;
  const row = {
    key: keyOf(ctx, travelPlans.id),
    count: 1,
    endsAt: travelPlans.endsAt,
    requestId: ctx.requestId,
  };
  const which = and(eq(travelPlans.id, planId), gt(travelPlans.endsAt, ctx.now), mayOpen);
  return insertFrom(ctx.db, guessCounters, row, sql`from ${travelPlans} where ${which}`).onConflictDoUpdate({
    target: guessCounters.key,
    set: { endsAt: sql`excluded.ends_at` },
  });
}

/** Whether the caller has to load the booking `planId` before its names are shown, and has not. */
export const isHiddenFrom = (ctx: BearerContext, planId: SQLWrapper): SQL<number> =>
  mustLoad(ctx)
    ? sql<number>`not exists (select 1 from ${guessCounters}
        where ${guessCounters.key} = ${keyOf(ctx, planId)} and ${guessCounters.endsAt} > ${ctx.now})`
    : sql<number>`0`;
