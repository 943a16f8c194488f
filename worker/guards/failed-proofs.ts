import { and, eq, gte, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { FailedCustodyProofs } from "../../core/api/index.ts";
import { failedProofs, deviceTicketLocks as lock } from "../../db/schema.ts";
import { parameter, written } from "../database/batch.ts";

/**
 * The notice of attempts (rules §5): how many custody proofs failed at a tag since its lock was made, and
 * when the last one did. It does not name the callers. It is written alike for locked, unlocked and unknown
 * tags.
 */

const [now, device] = [parameter("now"), parameter("device")];
const ofLock = (column: SQLiteColumn) =>
  sql`(select ${column} from ${lock} where ${lock.deviceId} = ${device} and ${lock.endsAt} > ${now})`;

/**
 * Counts one failed proof at a tag, known or not, where `which` holds. A count from before the present lock starts
 * again.
 */
export const countingFailure = (which: SQL) =>
  written<never>(sql`insert into ${failedProofs} (device_id, failures, last_failed_at, ends_at)
    select ${device}, 1, ${now}, coalesce(${ofLock(lock.endsAt)}, ${parameter("noticeEndsAt")}) where ${which}
    on conflict (device_id) do update set
      failures = case when ${failedProofs.lastAt} < coalesce(${ofLock(lock.lockedAt)}, 0) then 1
        else ${failedProofs.count} + 1 end,
      last_failed_at = excluded.last_failed_at, ends_at = excluded.ends_at`);

/** Joins the failed proofs at a lock to that lock. */
export const failedAtLock = (): SQL =>
  and(eq(failedProofs.deviceId, lock.deviceId), gte(failedProofs.lastAt, lock.lockedAt)) as SQL;

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
