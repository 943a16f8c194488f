import { sql } from "drizzle-orm";
import { index, integer, primaryKey, type SQLiteColumn, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { LockEnd } from "../../core/api/index.ts";
import { flag, instant, lettered } from "./columns.ts";
import { travelPlans } from "./journeys.ts";

/** Tags, and the journey locks on them. */

/** The members of a DeviceModel that are stored, and their letters. */
export const MAKE = {
  ccid: "c",
  tagName: "n",
  bagTagModel: "m",
  batteryPercentage: "b",
  firmwareVersion: "f",
  serialNumber: "s",
};

/** Tags the service has met. `id` is the folded identity (rules §5). */
export const devices = sqliteTable(
  "devices",
  {
    id: text().primaryKey(),
    /** As first sent, for people to read; empty where that is the id: read it by {@link labelOf}. */
    label: text().notNull(),
    /** GATT version proven by the tag's certificate or an import; null = unproven. */
    gattVersion: text("gatt_version").$type<"2.0" | "2.1">(),
    /** Hash of its SubjectPublicKeyInfo, as imported, until a certificate shows the key. */
    tagSpkiHash: text("tag_spki_hash"),
    /** SubjectPublicKeyInfo, base64url, of a row that was last written before migration 0007; its hash is beside it. */
    tagSpki: text("tag_spki"),
    /** The highest number that a verified statement of the tag has had; never goes back (rules §5). */
    commits: integer(),
    /** Up to here, numbers prove nothing: a lock that they proved has ended. */
    spentCommits: integer("spent_commits").notNull().default(0),
    /** The last lock that ended: who held it, on which booking, why and when, and the newest `cti` it had. */
    endedHolderSub: text("ended_holder_sub"),
    endedPlanId: text("ended_plan_id"),
    endedReason: text("ended_reason").$type<LockEnd>(),
    endedAt: instant("ended_at"),
    endedCti: text("ended_cti"),
    model: lettered("model", MAKE),
    registeredAt: instant("registered_at").notNull(),
    /** When an entitled caller first attached it; null = only claims made it known. */
    entitledAt: instant("entitled_at"),
    /** When to check whether anybody still uses it; null = known by evidence or an operator, and kept. */
    reviewAt: instant("review_at"),
    /** The tag's key once a certificate has shown it: its compressed P-256 point, base64url. */
    tagKey: text("tag_key"),
  },
  (table) => [
    index("devices_by_review").on(table.reviewAt).where(sql`${table.reviewAt} is not null`),
    index("devices_by_ended_plan").on(table.endedPlanId).where(sql`${table.endedPlanId} is not null`),
  ],
);

/** A tag's label. Null where the tag is, as in an outer join. */
export const labelOf = ({ id, label }: Record<"id" | "label", SQLiteColumn>) =>
  sql<string>`coalesce(nullif(${label}, ''), ${id})`;

/** The column of a label. */
export const storedLabel = (id: string, label: string): string => (label === id ? "" : label);

/** What a tag's row keeps of its last lock, where it is to keep nothing. */
export const NOTHING_ENDED = {
  endedHolderSub: null,
  endedPlanId: null,
  endedReason: null,
  endedAt: null,
  endedCti: null,
};

/** Other identities of a device; the first device to claim one keeps it. */
export const deviceAliases = sqliteTable(
  "device_aliases",
  {
    alias: text().primaryKey(),
    deviceId: text("device_id")
      .notNull()
      .references(() => devices.id, { onDelete: "cascade" }),
  },
  (table) => [index("device_aliases_by_device").on(table.deviceId)],
);

/** The journey lock (DeviceTicketLock): one row per locked device. A row past `endsAt` counts as no row. */
export const deviceTicketLocks = sqliteTable(
  "device_ticket_locks",
  {
    deviceId: text("device_id")
      .primaryKey()
      .references(() => devices.id),
    planId: text("plan_id")
      .notNull()
      .references(() => travelPlans.id, { onDelete: "cascade" }),
    /** The booking's airline, for `locks_by_news`; empty in rows from before migration 0005, until they end. */
    airline: text().notNull().default(""),
    journeyId: text("journey_id").notNull(),
    baggageId: integer("baggage_id").notNull(),
    /** Whether the attachment was entitled to the bag; any other is a claim (rules §5). */
    entitled: flag("entitled").notNull(),
    /** Whose attachment made the lock entitled, else the claimant. */
    holderSub: text("holder_sub").notNull(),
    /** Who attached last. */
    writerSub: text("writer_sub").notNull(),
    /** `commits` of the tag's statement that proves the lock; null = not proven. */
    commits: integer(),
    /** Newest `cti` of its writers, base64url; null = none was given. */
    cti: text(),
    lockedAt: instant("locked_at").notNull(),
    endsAt: instant("ends_at").notNull(),
    lostAt: instant("lost_at"),
    /** The newest found report; it ends with the lock, or when bag and holder are reunited. */
    foundAt: instant("found_at"),
    /** Since when the holder mutes found reports. */
    mutedAt: instant("muted_at"),
    /**
     * The request that wrote this row as it stands: the audit row of the same batch is conditional on it, and what hangs on
     * the lock names it, so that no later lock of the tag inherits it.
     */
    requestId: text("request_id").notNull(),
  },
  (table) => [
    index("locks_by_plan").on(table.planId, table.baggageId),
    index("locks_by_holder").on(table.holderSub, table.endsAt),
    index("locks_by_end").on(table.endsAt),
    index("locks_by_news").on(table.airline, newsAt(table), table.deviceId).where(hasNews(table)),
  ],
);

/**
 * Clears that found no lock (rules §5): the attachment that they undo may arrive later, and must not lock a blank tag. One
 * for each tag and person, so that no person's mark replaces another's.
 */
export const clearMarks = sqliteTable(
  "clear_marks",
  {
    /** Key of the tag's id; the tag may not be stored. */
    deviceId: text("device_id").notNull(),
    sub: text().notNull(),
    /** The booking of the bag named, if the person has loaded it. */
    planId: text("plan_id").references(() => travelPlans.id, { onDelete: "cascade" }),
    /** Hex, of the token that cleared the tag. */
    cti: text().notNull(),
    clearedAt: instant("cleared_at").notNull(),
    endsAt: instant("ends_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.deviceId, table.sub] }),
    index("clear_marks_by_plan").on(table.planId).where(sql`${table.planId} is not null`),
    index("clear_marks_by_end").on(table.endsAt),
  ],
);

/**
 * When a lock's bag was last lost or reported found: as the index `locks_by_news` has it, word for word. Without a comma, at
 * which drizzle-kit would split it.
 */
export const newsAt = ({ lostAt, foundAt }: Record<"lostAt" | "foundAt", SQLiteColumn>) =>
  sql<number>`case when ${lostAt} is null or ${foundAt} > ${lostAt} then ${foundAt} else ${lostAt} end`;

/** Whether it was either. */
export const hasNews = ({ lostAt, foundAt }: Record<"lostAt" | "foundAt", SQLiteColumn>) =>
  sql<boolean>`(${lostAt} is not null or ${foundAt} is not null)`;

/** A lock that rows hang on: they go with its row, and count while it stands as `lockRequestId` wrote it. */
const ofLock = () => ({
  deviceId: text("device_id")
    .notNull()
    .references(() => deviceTicketLocks.deviceId, { onDelete: "cascade" }),
  lockRequestId: text("lock_request_id").notNull(),
});

/** What finders say of a bag on an entitled lock (rules §5). */
export const foundReports = sqliteTable(
  "found_reports",
  {
    ...ofLock(),
    reportedAt: instant("reported_at").notNull(),
    /** The request that reported it. */
    requestId: text("request_id").notNull(),
    /** AES-GCM(DATA_KEY, JSON of airport, desk, words, position), base64url. */
    saidSealed: text("said_sealed").notNull(),
    /** HMAC(PEPPER, tag and network): identifies repeated reports about one tag, and nothing across tags. */
    source: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.deviceId, table.reportedAt, table.requestId] })],
);

/** A holder's link to where the bag is, of another service. */
export const locationLinks = sqliteTable(
  "location_links",
  {
    ...ofLock(),
    /** AES-GCM(DATA_KEY, link), base64url. */
    linkSealed: text("link_sealed").notNull(),
    /** Its host, for the holder. */
    host: text().notNull(),
    addedAt: instant("added_at").notNull(),
    /** The airline whose staff opened it last, and when. */
    openedBy: text("opened_by"),
    openedAt: instant("opened_at"),
  },
  (table) => [primaryKey({ columns: [table.deviceId] })],
);

/** Where a holder is notified of found reports, or after landing: an endpoint of the browser's push service (RFC 8030). */
export const pushEndpoints = sqliteTable(
  "push_endpoints",
  {
    ...ofLock(),
    holderSub: text("holder_sub").notNull(),
    /** AES-GCM(DATA_KEY, endpoint), base64url. */
    endpointSealed: text("endpoint_sealed").notNull(),
    /** The UTC day of the last message, counted from 1970, and how many there were on it. */
    sentDay: integer("sent_day").notNull().default(0),
    sentCount: integer("sent_count").notNull().default(0),
    /** When to remind the holder to clear the tag; null = not asked for, or done. */
    remindAt: instant("remind_at"),
  },
  (table) => [
    primaryKey({ columns: [table.deviceId, table.holderSub] }),
    index("push_endpoints_by_reminder").on(table.remindAt).where(sql`${table.remindAt} is not null`),
  ],
);
