import { type Column, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import {
  attestationCredentials,
  auditLog,
  bags,
  certificates,
  clearMarks,
  delegations,
  devices,
  deviceTicketLocks,
  failedProofs,
  guessCounters,
  idempotencyRecords,
  isPasskeyOfOneDay,
  journeys,
  pastBags,
  removedBags,
  sessions,
  travelPlans,
  usedOnce,
} from "../../db/schema.ts";
import { bagOfLock, locksWithBag } from "../audit/audited-lock.ts";
import { audited } from "../audit/log.ts";
import { auditStaffReads, isStaffReads } from "../audit/staff-reads.ts";
import { insertFrom } from "../database/batch.ts";
import { dayOf, lastDayBefore } from "../database/idempotency.ts";
import type { RunContext } from "../run-context.ts";
import { sessionIdAt } from "../sessions/refresh-token.ts";
import { spendNumbers } from "../tags/spent-numbers.ts";

/**
 * What scheduled runs remove (rules §2, §4): rows whose end has passed. Every statement already treats them
 * as absent; here they are deleted. Each task is one batch over a limited number of rows, found by an index
 * on their end.
 */

/** One batch; its last statement shows how far the task has come. */
export interface SweepTask {
  readonly name: string;
  /** Most rows that the last statement takes; if it takes that many, there may be more. */
  readonly rows: number;
  readonly statements: readonly BatchItem<"sqlite">[];
  /** Task that must be finished before this one can start. */
  readonly after?: string;
}

/** Every other task of a run; each comes after the tasks it depends on. */
export function sweepTasks(ctx: RunContext): readonly SweepTask[] {
  const { limits } = ctx.settings;
  const { db, now } = ctx;
  const rows = limits.sweepRowsPerStatement;
  const dead = now - limits.accessTokenSeconds * 1_000;
  const ended = (name: string, table: SQLiteTable, end: Column, options: EndedOptions = {}) => {
    const { more, after = 0, cutoff = now - after * 1_000 } = options;
    const first = firstEnded(table, end, cutoff, rows, more);
    return { name, rows, statements: [db.delete(table).where(first)] };
  };
  return [
    ended("delegations", delegations, delegations.endsAt),
    ended("usedOnce", usedOnce, usedOnce.endsAt),
    ended("guessCounters", guessCounters, guessCounters.endsAt, { more: sql`not ${isStaffReads}` }),
    { name: "staffReads", rows, statements: auditStaffReads(ctx, rows) },
    ended("failedProofs", failedProofs, failedProofs.endsAt),
    ended("removedBags", removedBags, removedBags.endsAt),
    ended("clearMarks", clearMarks, clearMarks.endsAt),
    // By whole days, the newest of whose records have ended.
    ended("idempotencyRecords", idempotencyRecords, idempotencyRecords.day, {
      cutoff: lastDayBefore(now, limits.idempotencySeconds),
    }),
    ended("pastBags", pastBags, pastBags.day, {
      cutoff: lastDayBefore(now, limits.journeyRetentionSeconds),
    }),
    // Found by the time in their session's id, which is no later than they are.
    ended("certificates", certificates, certificates.sessionId, {
      cutoff: sessionIdAt(now - limits.certificateSeconds * 1_000 + NONCE_AHEAD),
      more: sql`${certificates.expiresAt} <= ${now}`,
    }),
    ended("credentials", attestationCredentials, attestationCredentials.usedAt, {
      after: limits.credentialUnusedSeconds,
    }),
    ended("passkeysUsedOnce", attestationCredentials, attestationCredentials.createdAt, {
      after: limits.refreshFamilySeconds,
      more: isPasskeyOfOneDay(attestationCredentials),
    }),
    // Sessions without a live refresh token, once their last access token has expired as well.
    ended("sessions", sessions, sessions.id, {
      cutoff: sessionIdAt(dead - limits.refreshTokenSeconds * 1_000 + NONCE_AHEAD),
      more: sql`${sessions.refreshExpiresAt} <= ${dead}`,
    }),
    endedLocks(ctx, rows),
    forgottenBookings(ctx, Math.ceil(rows / ROWS_PER_BOOKING)),
    ...(ctx.settings.registry === "open" ? [unusedDevices(ctx, rows)] : []),
  ];
}

interface EndedOptions {
  /** A further condition. */
  readonly more?: SQL;
  /** Seconds to wait after the end. */
  readonly after?: number;
  /** The last end that has passed, where that is no time. */
  readonly cutoff?: number | string;
}

/** A session opened by a nonce has the nonce's end in its id, somewhat later than its own beginning. */
const NONCE_AHEAD = 3_600_000;

/** Rows that belong to one booking, more or less: journeys, legs, bags, callers that loaded it. */
const ROWS_PER_BOOKING = 10;

/** The first `rows` rows of `table` whose `end` has passed, in order of `end`. */
function firstEnded(
  table: SQLiteTable,
  end: Column,
  cutoff: number | string,
  rows: number,
  more: SQL = sql`true`,
) {
  const key = sql.join(keyOf(table), sql`, `);
  return sql`(${key}) in (select ${key} from ${table} where ${end} <= ${cutoff} and ${more}
    order by ${end} limit ${rows})`;
}

/** The names of a table's primary key. */
function keyOf(table: SQLiteTable): SQL[] {
  const { columns, primaryKeys } = getTableConfig(table);
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  return key.map(({ name }) => sql.identifier(name)).map((name) => sql`${name}`);
}

/**
 * Locks past their end, and lost mode with them; each leaves an audit row, as in every other way that a lock
 * is removed.
 */
function endedLocks(ctx: RunContext, rows: number): SweepTask {
  const { db, now } = ctx;
  const lock = deviceTicketLocks;
  const first = firstEnded(lock, lock.endsAt, now, rows);
  const audit = audited(
    ctx,
    { event: "lock_ended", ...bagOfLock, airline: travelPlans.airline, deviceId: lock.deviceId },
    sql`from ${locksWithBag} where ${first}`,
  );
  const which = sql`${first}`;
  return { name: "locks", rows, statements: [audit, spendNumbers(db, which), db.delete(lock).where(first)] };
}

/**
 * Bookings that have ended and are erased, with flights and bags, whose ids and plates rest. If a live lock remains for any
 * reason, its booking stays. A clear that is remembered outlives the booking that it named.
 */
function forgottenBookings({ db, now }: RunContext, rows: number): SweepTask {
  const { id, endsAt, erasedAt } = travelPlans;
  const isFree = sql`${erasedAt} is not null and not exists (
    select 1 from ${deviceTicketLocks} where ${deviceTicketLocks.planId} = ${id})`;
  const due = sql`(select ${id} from ${travelPlans} where ${endsAt} <= ${now} and ${isFree}
    order by ${endsAt} limit ${rows})`;
  const rest = {
    id: bags.id,
    day: dayOf(now),
    licencePlate: sql`cast(${bags.licencePlate} as integer)`,
    flightDay: sql`unixepoch(${bags.flightDate}) / 86400`,
  };
  return {
    name: "bookings",
    rows,
    statements: [
      insertFrom(
        db,
        pastBags,
        rest,
        sql`from ${bags} inner join ${journeys} on ${journeys.id} = ${bags.journeyId}
          where ${journeys.planId} in ${due}`,
      ).onConflictDoNothing(),
      db.update(clearMarks).set({ planId: null }).where(sql`${clearMarks.planId} in ${due}`),
      // Returned to be counted: D1's own count includes what the cascade deletes.
      db.delete(travelPlans).where(sql`${id} in ${due}`).returning({ id }),
    ],
  };
}

/**
 * Tags that callers registered without a certificate and that have not been locked for long, with their aliases:
 * the next attachment creates them again. No column holds the time of a tag's last lock, as that would cost every
 * attachment a row; the audit log has it. So each tag is reviewed when its time may have come, and then again
 * the same time after its last lock.
 */
function unusedDevices({ db, now, settings }: RunContext, rows: number): SweepTask {
  const { id, registeredAt, reviewAt, entitledAt } = devices;
  const { claimedDeviceSeconds, deviceUnusedSeconds } = settings.limits;
  const life = sql`case when ${entitledAt} is null then ${claimedDeviceSeconds * 1_000}
    else ${deviceUnusedSeconds * 1_000} end`;
  const due = firstEnded(devices, reviewAt, now, rows);
  const lastSeen = sql`coalesce((select max(${auditLog.at}) from ${auditLog} where ${auditLog.deviceId} = ${id}), 0)`;
  const isUnused = sql`${registeredAt} <= ${now} - (${life}) and ${lastSeen} <= ${now} - (${life})
    and not exists (select 1 from ${deviceTicketLocks} where ${deviceTicketLocks.deviceId} = ${id})`;
  return {
    name: "devices",
    rows,
    statements: [
      db
        .update(devices)
        .set({
          reviewAt: sql`max(${registeredAt} + (${life}), ${lastSeen} + (${life}), ${now + REVIEW_AGAIN})`,
        })
        .where(sql`${due} and not (${isUnused})`),
      // Returned to be counted: D1's own count includes the aliases.
      db.delete(devices).where(sql`${due} and ${isUnused}`).returning({ id }),
    ],
  };
}

/** A tag that is still locked is reviewed again a day later. */
const REVIEW_AGAIN = 86_400_000;
