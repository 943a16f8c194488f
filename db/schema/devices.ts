import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "./columns.ts";
import { travelPlans } from "./journeys.ts";

/** Tags, and the journey locks on them. */

/** Tags the service has met. `id` is the folded identity (rules §5). */
export const devices = sqliteTable(
  "devices",
  {
    id: text().primaryKey(),
    /** As first sent, for people to read. */
    label: text().notNull(),
    /** GATT version proven by the tag's certificate or an import; null = unproven. */
    gattVersion: text("gatt_version").$type<"2.0" | "2.1">(),
    /** Hash of the tag's SubjectPublicKeyInfo, as proven. */
    tagSpkiHash: text("tag_spki_hash"),
    model: text({ mode: "json" }).$type<Record<string, string | number>>(),
    registeredAt: instant("registered_at").notNull(),
    /** When to check whether anybody still uses it; null = known by evidence or an operator, and kept. */
    reviewAt: instant("review_at"),
  },
  (table) => [index("devices_by_review").on(table.reviewAt)],
);

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
    journeyId: text("journey_id").notNull(),
    baggageId: integer("baggage_id").notNull(),
    /** Who attached. */
    holderSub: text("holder_sub").notNull(),
    lockedAt: instant("locked_at").notNull(),
    endsAt: instant("ends_at").notNull(),
    lostAt: instant("lost_at"),
    /** The request that wrote this row as it stands: the audit row of the same batch is conditional on it. */
    requestId: text("request_id").notNull(),
    /** COSE_Sign1 of the tag, base64 (protocol.md, Receipts, to come); null = unconfirmed. */
    receipt: text(),
  },
  (table) => [
    index("locks_by_bag").on(table.baggageId),
    index("locks_by_plan").on(table.planId),
    index("locks_by_holder").on(table.holderSub, table.endsAt),
    index("locks_by_end").on(table.endsAt),
  ],
);
