import { type SQL, sql } from "drizzle-orm";
import { guessCounters, travelPlans } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { insertFrom } from "../database/batch.ts";
import { audited, type Recorder } from "./log.ts";

/**
 * How many journeys staff read by their ids (rules §5). Rows of the audit log never change, so a minute's reads are
 * counted in `guess_counters`, and a scheduled run writes the row when the minute is over.
 */

const MINUTE = 60_000;
const PREFIX = "staff-reads:";
const { key, count, endsAt } = guessCounters;

/** Counts one read for each row of `from`, over `travel_plans`; nothing for passengers. A statement. */
export function countStaffRead({ db, now, requestId, principal, client }: BearerContext, from: SQL) {
  if (!principal.staff) return undefined;
  const minute = Math.floor(now / MINUTE);
  const reader = sql`json_array(${travelPlans.airline}, ${client.id}, ${principal.sub}, ${minute * MINUTE})`;
  const row = { key: sql`${PREFIX} || ${reader}`, count: 1, endsAt: (minute + 1) * MINUTE, requestId };
  return insertFrom(db, guessCounters, row, from).onConflictDoUpdate({
    target: key,
    set: { count: sql`${count} + 1`, requestId },
  });
}

/** Keys of these counters: between the prefix and the text that follows every text which begins so. */
export const isStaffReads: SQL = sql`(${key} >= ${PREFIX} and ${key} < ${PREFIX.replace(":", ";")})`;

/** Writes the rows of the first `rows` counters whose minute is over, and deletes these; two statements for one batch. */
export function auditStaffReads(ctx: Recorder, rows: number) {
  const over = sql`${key} in (select ${key} from ${guessCounters} where ${endsAt} <= ${ctx.now} and ${isStaffReads}
    order by ${endsAt}, ${key} limit ${rows})`;
  const reader = sql`substr(${key}, ${PREFIX.length + 1})`;
  const entry = {
    event: "journeys_read",
    airline: sql`${reader} ->> 0`,
    clientId: sql`${reader} ->> 1`,
    sub: sql`${reader} ->> 2`,
    reason: sql`strftime('%Y-%m-%dT%H:%MZ', (${reader} ->> 3) / 1000, 'unixepoch')`,
    count,
  } as const;
  return [
    audited(ctx, entry, sql`from ${guessCounters} where ${over}`),
    ctx.db.delete(guessCounters).where(over),
  ];
}
