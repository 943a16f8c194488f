import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import { deviceTicketLocks, loadedPlans, travelPlans } from "../../db/schema.ts";
import { type AuditedEvent, audited, byCaller } from "../audit/log.ts";
import type { BearerContext, RequestContext } from "../context.ts";
import { inList } from "../database/statements.ts";

/**
 * The lock and its holders, as conditions over `device_ticket_locks` (rules §5), and what the audit log
 * records of it.
 */

/** The live lock on `device`: a lock past its end does not count. */
export const isLiveLockOf = ({ now }: RequestContext, device: SQL<string | null> | string): SQL =>
  and(eq(deviceTicketLocks.deviceId, sql`${device}`), gt(deviceTicketLocks.endsAt, now)) as SQL;

/**
 * Whether `sub` holds the lock: has attached the tag, or has loaded the travel plan. The plans are a
 * subselect of their own, so that no column in it can be taken for one of the lock.
 */
export const isHolder = (sub: string): SQL<boolean> =>
  sql<boolean>`(${deviceTicketLocks.holderSub} = ${sub} or ${deviceTicketLocks.planId} in
    (select ${loadedPlans.planId} from ${loadedPlans} where ${loadedPlans.sub} = ${sub}))`;

/** Whether the lock is on a booking of one of `airlines`; false if there are none. */
export const isOfAirlines = (airlines: readonly string[]): SQL<boolean> =>
  sql<boolean>`((select ${travelPlans.airline} from ${travelPlans}
    where ${travelPlans.id} = ${deviceTicketLocks.planId}) in ${inList(airlines)})`;

/**
 * Records the locks that `which` selects, in the batch that changes them: a row each, for the airline of its
 * booking. Must come before the statement that makes `which` untrue.
 */
export const auditLock = (ctx: BearerContext, event: AuditedEvent, which: SQL, reason?: string) =>
  audited(
    ctx,
    {
      event,
      ...byCaller(ctx),
      airline: travelPlans.airline,
      deviceId: deviceTicketLocks.deviceId,
      reason: reason ?? null,
    },
    sql`from ${deviceTicketLocks} inner join ${travelPlans} on ${travelPlans.id} = ${deviceTicketLocks.planId}
      where ${which}`,
  );
