import { and, eq, gt, or, type SQL, sql } from "drizzle-orm";
import { devices, deviceTicketLocks, loadedPlans, travelPlans } from "../../db/schema.ts";
import { bagOfLock, locksWithBag } from "../audit/audited-lock.ts";
import { type AuditEntry, audited, byCaller } from "../audit/log.ts";
import type { BearerContext, RequestContext } from "../context.ts";
import { inList } from "../database/batch.ts";
import type { Db } from "../database/connect.ts";

/**
 * Conditions over `device_ticket_locks` for what finds locks by SQL: custody proofs, whose work must be equal whatever is
 * there, bag traces and the sweeper. Everything else decides by rules.ts.
 */

/** Not past its end. */
export const isLive = ({ now }: RequestContext): SQL => gt(deviceTicketLocks.endsAt, now);

/** `isHolder` of rules.ts, without delegates. */
export const isHolder = ({ principal, now, settings }: BearerContext): SQL<boolean> => {
  const { holderSub, lockedAt, planId } = deviceTicketLocks;
  const isAttacher = and(
    eq(holderSub, principal.sub),
    principal.staff ? gt(lockedAt, now - settings.limits.staffHoldsSeconds * 1_000) : undefined,
  );
  const hasLoaded = sql`${planId} in (select ${loadedPlans.planId} from ${loadedPlans}
    where ${loadedPlans.sub} = ${principal.sub} and ${loadedPlans.delegationId} is null)`;
  return or(isAttacher, hasLoaded) as SQL<boolean>;
};

/** Whether the lock is on a booking of one of `airlines`; false if there are none. */
export const isOfAirlines = (airlines: readonly string[]): SQL<boolean> =>
  sql<boolean>`((select ${travelPlans.airline} from ${travelPlans}
    where ${travelPlans.id} = ${deviceTicketLocks.planId}) in ${inList(airlines)})`;

/** A row for each lock of `which`, for the airline of its booking; before the statement that makes `which` untrue. */
export const auditLock = (ctx: BearerContext, event: AuditEntry["event"], which: SQL) =>
  audited(
    ctx,
    {
      event,
      ...byCaller(ctx),
      deviceId: deviceTicketLocks.deviceId,
      reason: null,
      ...bagOfLock,
      airline: travelPlans.airline,
    },
    sql`from ${locksWithBag} where ${which}`,
  );

/** A number that proved a lock proves nothing once the lock has ended. */
export const spentCommits = sql<number>`max(${devices.spentCommits}, coalesce(${deviceTicketLocks.commits}, 0))`;

/** The same for locks that end by time, whose holders need no notice. */
export const spendNumbers = (db: Db, which: SQL) =>
  db
    .update(devices)
    .set({ spentCommits })
    .from(deviceTicketLocks)
    .where(
      and(
        eq(devices.id, deviceTicketLocks.deviceId),
        sql`${deviceTicketLocks.commits} > ${devices.spentCommits}`,
        which,
      ),
    );
