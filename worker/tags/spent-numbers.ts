import { and, eq, type SQL, sql } from "drizzle-orm";
import { devices, deviceTicketLocks } from "../../db/schema.ts";
import type { Db } from "../database/connect.ts";

/** What `withSpentNumber` of state.ts does, for what ends locks by SQL: custody proofs, whose work must be equal, and the sweeper. */

/** A number that proved a lock proves nothing once the lock has ended. */
export const spentCommits = sql<number>`max(${devices.spentCommits}, coalesce(${deviceTicketLocks.commits}, 0))`;

/** The same for locks that end by time, whose holders need no notice. */
export const spendNumbers = (db: Db, which: SQL) =>
  db
    .update(devices)
    .set({ spentCommits })
    .from(deviceTicketLocks)
    .where(
      and(
        eq(devices.id, deviceTicketLocks.deviceId),
        sql`${deviceTicketLocks.commits} > ${devices.spentCommits}`,
        which,
      ),
    );
