import { and, exists, type SQL, sql } from "drizzle-orm";
import type { EbtUnlockRequest, EbtUnlockResponse, LockReleaseRequest } from "../../core/api/index.ts";
import { deviceTicketLocks, guessCounters } from "../../db/schema.ts";
import type { AuditedEvent } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { isUnused, outcomeOf, type Replayable, settle } from "../database/idempotency.ts";
import { inBatch } from "../database/statements.ts";
import { knownDeviceId } from "../devices/identity.ts";
import { ApiError } from "../errors.ts";
import { deviceCounterKeys } from "../guards/guess-budget.ts";
import type { Keyable } from "../http/route.ts";
import { auditLock, isHolder, isLiveLockOf, isOfAirlines } from "./lock-rules.ts";

/** The ways a lock is removed before its end: by its holder, by staff, or by whoever proves custody. */

/**
 * Removes the lock for its holder (endpoint 12, rules §5); a tag that is not locked stays so. One batch: a
 * caller who is no holder when it runs changes nothing. Throws `not_lock_holder`, `idempotency_key_reused`.
 */
export async function unlock(
  ctx: BearerContext,
  { uniqueDeviceId }: EbtUnlockRequest,
  { keyed }: Keyable,
): Promise<Replayable<EbtUnlockResponse>> {
  const device = knownDeviceId(uniqueDeviceId);
  const allowed = and(isHolder(ctx.principal.sub), isUnused(ctx, keyed)) as SQL;
  // If the lock is still there, it is somebody else's.
  const verdict = sql`select case when exists (
      select 1 from ${deviceTicketLocks} where ${isLiveLockOf(ctx, device)}
    ) then 'not_lock_holder' else 'ok' end as outcome, '{}' as facts`;
  const { settled } = await inBatch(ctx.db, {
    removal: lockRemoval(ctx, { device, allowed, event: "lock_removed_by_holder" }),
    settled: settle(ctx, keyed, verdict),
  });
  const { isReplay } = outcomeOf(keyed, settled);
  return { answer: { uniqueDeviceId, locked: false }, isReplay };
}

/**
 * Removes a lock on a journey of the caller's airlines, for ground staff (rules §5). It needs no proof but a
 * reason, which the audit log keeps. A tag that is not locked stays so. One batch. Throws
 * `insufficient_scope`: the lock is another airline's.
 */
export async function releaseLock(
  ctx: BearerContext,
  { uniqueDeviceId, reason }: LockReleaseRequest,
): Promise<EbtUnlockResponse> {
  const device = knownDeviceId(uniqueDeviceId);
  const allowed = isOfAirlines(ctx.principal.airlines);
  const { left } = await inBatch(ctx.db, {
    removal: lockRemoval(ctx, { device, allowed, event: "lock_released_by_staff", reason }),
    left: ctx.db
      .select({ isLocked: sql<number>`1`.as("is_locked") })
      .from(deviceTicketLocks)
      .where(isLiveLockOf(ctx, device)),
  });
  // If the lock is still there, it is another airline's.
  if (left.length > 0) throw new ApiError("insufficient_scope", { reason: "another airline's lock" });
  return { uniqueDeviceId, locked: false };
}

export interface Removal {
  /** Id of the known device, or an expression that gives it. */
  readonly device: SQL<string | null> | string;
  /** Who may remove it: a condition over `device_ticket_locks`. */
  readonly allowed: SQL;
  /** Why it was removed, as the audit log names it. */
  readonly event: AuditedEvent;
  /** What staff gave as their reason. */
  readonly reason?: string;
}

/**
 * Statements that remove a live lock: its audit row and the deletion of the tag's guess counters, both only
 * if `allowed` matches the lock, and last the deletion of the lock.
 */
export function lockRemoval(ctx: BearerContext, { device, allowed, event, reason }: Removal) {
  const { db } = ctx;
  const isRemovable = and(isLiveLockOf(ctx, device), allowed) as SQL;
  const removable = db
    .select({ deviceId: deviceTicketLocks.deviceId })
    .from(deviceTicketLocks)
    .where(isRemovable);
  const keys = sql.join([...deviceCounterKeys(sql`${device}`)], sql`, `);
  return {
    audit: auditLock(ctx, event, isRemovable, reason),
    counters: db.delete(guessCounters).where(and(sql`${guessCounters.key} in (${keys})`, exists(removable))),
    lock: db.delete(deviceTicketLocks).where(isRemovable),
  };
}
