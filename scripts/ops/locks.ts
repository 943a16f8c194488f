import { eq, getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { AuditedEvent } from "../../core/api/index.ts";
import { toHex } from "../../core/encoding/bytes.ts";
import {
  auditLog,
  devices,
  deviceTicketLocks,
  failedProofs,
  guessCounters,
  NOTHING_ENDED,
  travelPlans,
} from "../../db/schema.ts";
import { bagOfLock, locksWithBag } from "../../worker/audit/audited-lock.ts";
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

/** What an audit row says; `airline` and `device` may be columns of what it is selected from. */
interface Entry {
  readonly event: AuditedEvent;
  readonly airline: SQL;
  readonly device?: SQL;
  readonly reason: string;
  /** The bag of a lock: columns of `locksWithBag`. */
  readonly bag?: Readonly<Record<string, SQLWrapper>>;
}

export function auditRow(db: Db, { now, requestId }: Deed, { device, bag, ...entry }: Entry, from: SQL) {
  const given: Readonly<Record<string, unknown>> = { ...entry, ...bag, at: now, requestId, deviceId: device };
  const values = Object.keys(getTableColumns(auditLog)).map((name) => sql`${given[name] ?? null}`);
  return db.insert(auditLog).select(sql`select ${sql.join(values, sql`, `)} ${from}`);
}

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
    device: sql`${lock.deviceId}`,
    reason,
    // A person who is to be forgotten gets no new row.
    ...(isForgotten ? {} : { bag: bagOfLock }),
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
    auditRow(db, deed, entry, sql`from ${locksWithBag} where ${which}`),
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
