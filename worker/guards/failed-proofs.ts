import { and, eq, gte, type SQL, sql } from "drizzle-orm";
import type { FailedCustodyProofs } from "../../core/api/index.ts";
import { deviceTicketLocks, failedProofs } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { insertFrom } from "../database/batch.ts";
import { isUnused, type Keyed } from "../database/idempotency.ts";

/**
 * The notice of attempts (rules §5): how many custody proofs failed at a tag since its lock was made, and
 * when the last one did. It does not name the callers. It is written alike for locked, unlocked and unknown
 * tags.
 */

/**
 * Counts one failed proof at `device`, known or not; a statement. A count from before the present lock starts
 * again.
 */
export function recordFailedProof(ctx: BearerContext, device: string, keyed: Keyed) {
  const { db, now, settings } = ctx;
  const ends = now + settings.limits.guessWindowSeconds * 1_000;
  const lock = deviceTicketLocks;
  const ofLock = (column: SQL) =>
    sql`(select ${column} from ${lock} where ${lock.deviceId} = ${device} and ${lock.endsAt} > ${now})`;
  const row = {
    deviceId: device,
    count: 1,
    lastAt: now,
    endsAt: sql`coalesce(${ofLock(sql`${lock.endsAt}`)}, ${ends})`,
  };
  return insertFrom(db, failedProofs, row, sql`where ${isUnused(ctx, keyed)}`).onConflictDoUpdate({
    target: failedProofs.deviceId,
    set: {
      count: sql`case when ${failedProofs.lastAt} < coalesce(${ofLock(sql`${lock.lockedAt}`)}, 0)
          then 1 else ${failedProofs.count} + 1 end`,
      lastAt: now,
      endsAt: sql`excluded.ends_at`,
    },
  });
}

/** Joins the failed proofs at a lock to that lock. */
export const failedAtLock = (): SQL =>
  and(
    eq(failedProofs.deviceId, deviceTicketLocks.deviceId),
    gte(failedProofs.lastAt, deviceTicketLocks.lockedAt),
  ) as SQL;

/** The columns of the notice; null where nothing failed. */
export const failedColumns = { failures: failedProofs.count, lastFailedAt: failedProofs.lastAt };

/** The notice as answers carry it, or nothing. */
export const failedNotice = (row: {
  readonly failures: number | null;
  readonly lastFailedAt: number | null;
}): { readonly failedCustodyProofs?: FailedCustodyProofs } =>
  row.failures === null
    ? {}
    : {
        failedCustodyProofs: {
          count: row.failures,
          lastAt: new Date(Number(row.lastFailedAt)).toISOString(),
        },
      };
