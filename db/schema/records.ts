import { sql } from "drizzle-orm";
import {
  check,
  index,
  integer,
  primaryKey,
  type SQLiteColumn,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { Scope } from "../../core/api/endpoints.ts";
import type { ErrorCode } from "../../core/api/error-codes.ts";
import type { LockEvidence } from "../../core/api/events.ts";
import { instant, list } from "./columns.ts";

/**
 * What limits callers and makes repeated requests harmless: counters, idempotency records, the audit log and
 * its seals.
 */

/**
 * One counter for each guessed thing and window (rules §2); `key` says which, hashed where it is personal. So are what
 * staff have loaded and how much they have read (rules §4, "Masked").
 */
export const guessCounters = sqliteTable(
  "guess_counters",
  {
    key: text().primaryKey(),
    count: integer().notNull(),
    endsAt: instant("ends_at").notNull(),
    /** The request counted last: the rest of its batch is conditional on it. */
    requestId: text("request_id").notNull(),
  },
  (table) => [index("guess_counters_by_end").on(table.endsAt)],
);

/**
 * Always empty. A commit whose facts have changed would insert a row, which the constraint refuses, and its batch with it
 * (ADR 33).
 */
export const guards = sqliteTable("guards", { held: integer().notNull() }, (table) => [
  check("facts_unchanged", sql`${table.held}`),
]);

/**
 * Custody proofs that failed at a tag, known or not, since its lock was made (holders are notified, rules §5). A
 * row whose last failure is older than the lock does not count.
 */
export const failedProofs = sqliteTable(
  "failed_proofs",
  {
    deviceId: text("device_id").primaryKey(),
    count: integer("failures").notNull(),
    lastAt: instant("last_failed_at").notNull(),
    /** Ends with the lock; for a tag without a lock, with the window of the guess budget. */
    endsAt: instant("ends_at").notNull(),
  },
  (table) => [index("failed_proofs_by_end").on(table.endsAt)],
);

/** Answers kept for a repeated Idempotency-Key, written in the batch of the change that they report. */
export const idempotencyRecords = sqliteTable(
  "idempotency_records",
  {
    /** Days since 1970 of `createdAt`: whole days are swept. */
    day: integer().notNull(),
    sub: text().notNull(),
    endpoint: text().notNull(),
    key: text().notNull(),
    bodyHash: text("body_hash").notNull(),
    /**
     * `ok` or the errorCode; together with `facts` and the repeated body it gives the same answer byte for
     * byte.
     */
    outcome: text().$type<"ok" | ErrorCode>().notNull(),
    facts: text({ mode: "json" })
      .$type<Readonly<Record<string, string | number | readonly string[]>>>()
      .notNull(),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.sub, table.endpoint, table.key] })],
);

/**
 * What happened, append-only and without personal data. Only the row of a refusal may change, within its minute and
 * before it is sealed: it counts others like it.
 */
export const auditLog = sqliteTable(
  "audit_log",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    at: instant("at").notNull(),
    event: text().notNull(),
    requestId: text("request_id").notNull(),
    sub: text(),
    clientId: text("client_id"),
    airline: text(),
    deviceId: text("device_id"),
    /** Which rule decided, for refusals. */
    reason: text(),
    /** How many like it there were within its minute; null for what is one event. `requestId` is the last one's. */
    count: integer(),
    /** What is counted together: a hash over minute, cause, and network or client. */
    mergeKey: text("merge_key"),
    /** Which member of staff stood there, where they said so. */
    staffId: text("staff_id"),
    /** The bag that it is about, as it was then: bookings change and go. */
    journeyId: text("journey_id"),
    baggageId: integer("baggage_id"),
    licencePlate: text("licence_plate"),
    /** What stands behind the lock that it is about. */
    evidence: text().$type<LockEvidence>(),
  },
  (table) => [
    uniqueIndex("audit_log_by_merge_key").on(table.mergeKey).where(sql`${table.mergeKey} is not null`),
    index("audit_log_by_airline").on(table.airline, table.at),
    index("audit_log_by_device").on(table.deviceId, table.at),
    index("audit_log_by_bag").on(table.baggageId).where(isLockOfBag(table)),
  ],
);

/**
 * Whether a row makes or ends an entitled lock, so that the newest one says what became of a bag: as the index
 * `audit_log_by_bag` has it, word for word. Claims do not count, because any caller may make them.
 */
export function isLockOfBag({ event, evidence }: Record<"event" | "evidence", SQLiteColumn>) {
  const events = ["attached", "cleared", "replaced", "custody_proven", "released", "voided", "displaced"];
  const isEvent = events.map((name) => sql`${event} = ${sql.raw(`'${name}'`)}`);
  return sql<boolean>`((${evidence} = 'entitled' or ${evidence} = 'proven') and (${sql.join(isEvent, sql` or `)}))`;
}

/**
 * Signed statements about closed ranges of {@link auditLog}, each naming the one before it (`audit-seal.ts`):
 * a row that is later changed, removed or added no longer fits its seal, and a changed seal no longer fits
 * the next.
 */
export const auditSeals = sqliteTable("audit_seals", {
  /** 1, 2, 3 …: a gap is a seal that was taken away. */
  id: integer().primaryKey(),
  /** First and last id of the rows covered. */
  fromId: integer("from_id").notNull(),
  toId: integer("to_id").notNull(),
  count: integer().notNull(),
  /** SHA-256 of the rows. */
  rowsHash: text("rows_hash").notNull(),
  /** SHA-256 of the seal before; empty for the first. */
  previousHash: text("previous_hash").notNull(),
  sealedAt: instant("sealed_at").notNull(),
  kid: text().notNull(),
  /** ES256 over all of the above, base64url. */
  signature: text().notNull(),
});

/** Who is sent what happens to bags: each a place in the audit log, and no row for any event. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text().primaryKey(),
    url: text().notNull(),
    /** Whose events it is sent. */
    airlines: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    /** What it may see beyond the events: `baggage:message`, texts with names and locators. */
    scopes: list<Scope>("scopes").notNull().default([]),
    /** AES-GCM(DATA_KEY, the keys of its signatures as worker/webhooks/keys.ts has them), base64url. */
    secretSealed: text("secret_sealed").notNull(),
    /** Everything up to this row of the audit log has been taken; the time distinguishes it from another with its id. */
    placeId: integer("place_id").notNull(),
    placeAt: instant("place_at").notNull(),
    /** When it has its next turn; while it has one, when that is given up for dead. */
    dueAt: instant("due_at").notNull(),
    /** How many attempts have failed since the last that did not. */
    failures: integer().notNull().default(0),
    /** How the last attempt failed: a status, or the kind of fault. */
    lastError: text("last_error"),
    deliveredAt: instant("delivered_at"),
    /** When it was given up; null = it is not. */
    stoppedAt: instant("stopped_at"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [index("webhooks_by_turn").on(table.dueAt).where(sql`${table.stoppedAt} is null`)],
);
