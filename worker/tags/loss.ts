import { and, eq, isNull, or, type SQL } from "drizzle-orm";
import type { DeviceLossRequest, DeviceLossResponse } from "../../core/api/index.ts";
import { deviceTicketLocks, foundReports, hasNews, locationLinks, pushEndpoints } from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import { byCaller } from "../audit/log.ts";
import { requireScopes } from "../auth/authenticate.ts";
import type { BearerContext } from "../context.ts";
import { inBatch } from "../database/statements.ts";
import { ApiError } from "../errors.ts";
import { whoStandsThere } from "../staff/staff-pin.ts";
import { auditLock, isHolder, isLiveLockOf, isOfAirlines } from "./lock-rules.ts";

/**
 * Marks a locked tag as lost, or as found again (rules §5): by a holder who is entitled to the bag, or by
 * staff of the airline of its journey. The mark belongs to the lock and ends with it; the lock itself does not change. A tag that is not
 * locked cannot be lost. Found again means reunited: it takes found reports and the link away, too. Whoever marks a tag lost
 * wants to hear of it, muted or not. One batch; what changes nothing leaves no trace. Throws `not_lock_holder`, and for
 * staff who take the mark away `insufficient_scope` and as `whoStandsThere`.
 */
export async function markLoss(
  ctx: BearerContext,
  { uniqueDeviceId, lost, staff }: DeviceLossRequest,
): Promise<DeviceLossResponse> {
  const { db, now, principal } = ctx;
  const isRelease = principal.staff && !lost;
  if (isRelease) requireScopes(principal, ["tag:release"]);
  const { staffId, right } = isRelease ? await whoStandsThere(ctx, staff) : { staffId: null };
  const { lostAt, deviceId } = deviceTicketLocks;
  const isLive = isLiveLockOf(ctx, uniqueDeviceId);
  const isChange = and(isLive, mayMark(ctx), lost ? isNull(lostAt) : hasNews(deviceTicketLocks)) as SQL;
  const ended = sql`(select ${deviceId} from ${deviceTicketLocks} where ${and(isLive, mayMark(ctx))})`;
  const {
    locks: [lock],
  } = await inBatch(db, {
    reports: lost ? undefined : db.delete(foundReports).where(sql`${foundReports.deviceId} in ${ended}`),
    link: lost ? undefined : db.delete(locationLinks).where(sql`${locationLinks.deviceId} in ${ended}`),
    push: lost ? undefined : db.delete(pushEndpoints).where(sql`${pushEndpoints.deviceId} in ${ended}`),
    right,
    audit: auditLock(ctx, lost ? "lost" : "found", isChange, { by: { ...byCaller(ctx), staffId } }),
    mark: db
      .update(deviceTicketLocks)
      .set(lost ? { lostAt: now, mutedAt: null } : { lostAt: null, foundAt: null })
      .where(isChange),
    locks: db
      .select({ isAllowed: mayMark(ctx).mapWith(Boolean).as("is_allowed") })
      .from(deviceTicketLocks)
      .where(isLive),
  });
  if (lost ? lock?.isAllowed !== true : lock?.isAllowed === false) throw new ApiError("not_lock_holder");
  return { uniqueDeviceId, lost };
}

/** A claimant has no right over the journey, and so none to call its tag lost; nor has a delegate. */
const mayMark = (ctx: BearerContext): SQL<boolean> => {
  const holds = and(isHolder(ctx, sql`false`), eq(deviceTicketLocks.entitled, true));
  const { staff, airlines } = ctx.principal;
  return (staff ? or(holds, isOfAirlines(airlines)) : holds) as SQL<boolean>;
};
