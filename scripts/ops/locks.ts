import { eq, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { toHex } from "../../core/encoding/bytes.ts";
import {
  devices,
  deviceTicketLocks,
  failedProofs,
  guessCounters,
  NOTHING_ENDED,
  travelPlans,
} from "../../db/schema.ts";
import { bagOfLock, locksWithBag } from "../../worker/audit/audited-lock.ts";
import { audited } from "../../worker/audit/log.ts";
import type { Db } from "../../worker/database/connect.ts";
import { systemRandom } from "../serve/development-keys.ts";

/** How an operator ends locks: as the service does (rules §5), with a row in the audit log for each. */

/** One doing of an operator, as the audit log names it. */
export interface Deed {
  readonly now: number;
  readonly requestId: string;
}

export const newDeed = (): Deed => ({ now: Date.now(), requestId: toHex(systemRandom(16)) });

const lock = deviceTicketLocks;

/**
 * Statements that end the live locks of `which`, a condition over `device_ticket_locks`. Their holders are notified,
 * unless `isForgotten`: then the tag keeps nothing of them.
 */
export function endingLocks(
  db: Db,
  deed: Deed,
  { which, reason, isForgotten = false }: { which: SQL; reason: string; isForgotten?: boolean },
): readonly BatchItem<"sqlite">[] {
  const entry = {
    event: "released" as const,
    airline: sql`${travelPlans.airline}`,
    deviceId: sql`${lock.deviceId}`,
    reason,
    // A person who is to be forgotten gets no new row.
    ...(isForgotten ? {} : bagOfLock),
  };
  const ended = isForgotten
    ? NOTHING_ENDED
    : {
        endedHolderSub: sql`${lock.holderSub}`,
        endedPlanId: sql`${lock.planId}`,
        endedReason: "staff" as const,
        endedAt: deed.now,
        endedCti: sql`${lock.cti}`,
      };
  const spentCommits = sql<number>`max(${devices.spentCommits}, coalesce(${lock.commits}, 0))`;
  const locked = sql`(select ${lock.deviceId} from ${lock} where ${which})`;
  return [
    audited({ db, ...deed }, entry, sql`from ${locksWithBag} where ${which}`),
    db.delete(guessCounters).where(
      sql`${guessCounters.key} in (select 'device:' || kind.value || ':' || ${lock.deviceId}
        from ${lock}, json_each('["unvouched","vouched","staff"]') as kind where ${which})`,
    ),
    db.delete(failedProofs).where(sql`${failedProofs.deviceId} in ${locked}`),
    db
      .update(devices)
      .set({ ...ended, spentCommits })
      .from(lock)
      .where(sql`${eq(devices.id, lock.deviceId)} and ${which}`),
    db.delete(lock).where(which),
  ];
}
