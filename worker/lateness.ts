import { type SQL, sql } from "drizzle-orm";
import { auditLog, auditSeals, travelPlans } from "../db/schema.ts";
import type { Settings } from "./config/env.ts";
import type { Db } from "./database/connect.ts";

/** How far scheduled runs are behind: for `/healthz`, and for the log line of each run. */

/** Work of scheduled runs that has a time limit. */
export type LateWork = "erasure" | "seals";

export interface Lateness {
  /** Seconds since the oldest booking that still has names has ended; 0 where there is none. */
  readonly erasureSeconds: number;
  /** Seconds since the oldest row of the audit log that no seal covers was written. */
  readonly sealSeconds: number;
  /** Which of them is over its limit. */
  readonly late: readonly LateWork[];
}

/** Bookings that have ended and still have names, oldest first. */
export const isToErase = (now: number): SQL =>
  sql`${travelPlans.endsAt} <= ${now} and ${travelPlans.erasedAt} is null and ${travelPlans.locatorSealed} <> ''`;

/** Two values found by indexes: the times since which something waits, or null. */
export const waiting = (now: number): { readonly erasure: SQL; readonly seals: SQL } => ({
  erasure: sql`(select ${travelPlans.endsAt} from ${travelPlans} where ${isToErase(now)}
    order by ${travelPlans.endsAt} limit 1)`,
  seals: sql`(select ${auditLog.at} from ${auditLog} where ${auditLog.id} > coalesce(
    (select ${auditSeals.toId} from ${auditSeals} where ${auditSeals.id} > 0 order by ${auditSeals.id} desc limit 1), 0)
    order by ${auditLog.id} limit 1)`,
});

/** When something began to wait, milliseconds since 1970. */
export interface Since {
  readonly erasure: number | null;
  readonly seals: number | null;
}

export function latenessOf({ erasure, seals }: Since, now: number, { limits }: Settings): Lateness {
  const secondsSince = (time: number | null) => (time === null ? 0 : Math.floor((now - time) / 1_000));
  const [erasureSeconds, sealSeconds] = [secondsSince(erasure), secondsSince(seals)];
  const late: LateWork[] = [];
  if (erasureSeconds > limits.erasureLateSeconds) late.push("erasure");
  if (sealSeconds > limits.sealLateSeconds) late.push("seals");
  return { erasureSeconds, sealSeconds, late };
}

export async function readLateness(db: Db, now: number, settings: Settings): Promise<Lateness> {
  const { erasure, seals } = waiting(now);
  const since = await db.get<Since>(sql`select ${erasure} as "erasure", ${seals} as "seals"`);
  return latenessOf(since, now, settings);
}
