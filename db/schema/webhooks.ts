import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "./columns.ts";

/** Who is sent what happens to bags: each a place in the audit log, and no row for any event. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text().primaryKey(),
    url: text().notNull(),
    /** Whose events it is sent. */
    airlines: text({ mode: "json" }).$type<readonly string[]>().notNull(),
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
