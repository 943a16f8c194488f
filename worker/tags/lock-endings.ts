import { and, eq, type SQL, sql } from "drizzle-orm";
import type { LockEnd } from "../../core/api/index.ts";
import type { Db } from "../../db/connect.ts";
import { devices, deviceTicketLocks, guessCounters } from "../../db/schema.ts";
import type { AuditedEvent } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { writtenOut } from "../database/statements.ts";
import { DEVICE_COUNTERS } from "../guards/guess-budget.ts";
import { auditLock, type LockEntry } from "./lock-rules.ts";

/** The one way in which a lock ends before its time (rules §5), whoever ends it. */

/** An end, as the audit log and the former holder hear of it. */
export interface Ending {
  /** The locks that end: a condition over `device_ticket_locks`. */
  readonly which: SQL;
  readonly event: AuditedEvent;
  readonly end: LockEnd;
  /** What the audit log says beside it; one row for each. */
  readonly entries?: readonly LockEntry[];
  /** The `cti` (hex) of the token that cleared the tag, where it is newer than the lock's. */
  readonly cti?: string | undefined;
}

/** Statements that end locks; the deletion is the last, and everything before it looks at the same rows. */
export function endLocks(ctx: BearerContext, { event, end, entries = [{}], cti, ...ending }: Ending) {
  const { db, now } = ctx;
  const which = writtenOut(ending.which);
  const lock = deviceTicketLocks;
  return {
    audit: entries.map((entry) => auditLock(ctx, event, which, entry)),
    counters: db.delete(guessCounters).where(
      sql`${guessCounters.key} in (select kind.value || ${lock.deviceId}
          from ${lock}, json_each(${JSON.stringify(DEVICE_COUNTERS)}) as kind where ${which})`,
    ),
    numbers: spendNumbers(db, which),
    device: db
      .update(devices)
      .set({
        endedHolderSub: sql`${lock.holderSub}`,
        endedPlanId: sql`${lock.planId}`,
        endedReason: end,
        endedAt: now,
        endedCti: cti ?? sql`${lock.cti}`,
      })
      .from(lock)
      .where(and(eq(devices.id, lock.deviceId), which, isTold(ctx))),
    lock: db.delete(lock).where(which),
  };
}

/** A claim that comes and goes must not wipe out what the holder before it is still to hear: for a day, an end stays. */
const isTold = ({ now, settings }: BearerContext): SQL =>
  sql`(${deviceTicketLocks.entitled} or ${devices.endedAt} is null
    or ${devices.endedAt} <= ${now - settings.limits.claimSeconds * 1_000})`;

/** A number that proved a lock proves nothing once the lock has ended. */
const spent = sql<number>`max(${devices.spentCommits}, coalesce(${deviceTicketLocks.commits}, 0))`;

/** The same for locks that end by time: who held them needs no notice, their end was known. */
export const spendNumbers = (db: Db, which: SQL) =>
  db
    .update(devices)
    .set({ spentCommits: spent })
    .from(deviceTicketLocks)
    .where(and(eq(devices.id, deviceTicketLocks.deviceId), which));
