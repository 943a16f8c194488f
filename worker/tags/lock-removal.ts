import { and, eq, exists, gt, type SQL, sql } from "drizzle-orm";
import { auditLog, deviceTicketLocks, guessCounters, travelPlans } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { deviceCounterKeys } from "../guards/guess-budget.ts";

/** Why a lock was removed, as the audit log names it. */
export type RemovalEvent = "lock_removed_by_proof" | "lock_removed_by_holder" | "lock_released_by_staff";

export interface Removal {
  /** Id of the known device, or an expression that gives it. */
  readonly device: SQL<string | null> | string;
  /** Who may: a condition over `device_ticket_locks`. */
  readonly allowed: SQL | undefined;
  readonly event: RemovalEvent;
  /** What staff gave as their reason. */
  readonly reason?: string;
}

/**
 * Statements that take a live lock away, for one batch: its audit row and the end of the tag's guess counters, both
 * only if there is a lock that `allowed` lets go, and last the deletion, which returns the device id if it happened.
 */
export function lockRemoval(ctx: BearerContext, { device, allowed, event, reason }: Removal) {
  const { db, now, requestId, principal, client } = ctx;
  const isRemovable = and(
    eq(deviceTicketLocks.deviceId, sql`${device}`),
    gt(deviceTicketLocks.endsAt, now),
    allowed,
  );
  const removable = db
    .select({ deviceId: deviceTicketLocks.deviceId })
    .from(deviceTicketLocks)
    .where(isRemovable);
  const audit = db.insert(auditLog).select(
    sql`select null, ${now}, ${event}, ${requestId}, ${principal.sub}, ${client.id}, ${travelPlans.airline},
      ${deviceTicketLocks.deviceId}, ${reason ?? null}
      from ${deviceTicketLocks} inner join ${travelPlans} on ${travelPlans.id} = ${deviceTicketLocks.planId}
      where ${isRemovable}`,
  );
  const keys = deviceCounterKeys(sql`${device}`);
  const resetCounters = db
    .delete(guessCounters)
    .where(and(sql`${guessCounters.key} in (${sql.join([...keys], sql`, `)})`, exists(removable)));
  const removal = db
    .delete(deviceTicketLocks)
    .where(isRemovable)
    .returning({ deviceId: deviceTicketLocks.deviceId });
  return [audit, resetCounters, removal] as const;
}
