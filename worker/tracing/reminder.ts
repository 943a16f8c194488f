import { and, eq, lte, sql } from "drizzle-orm";
import { deviceTicketLocks, pushEndpoints, travelPlans } from "../../db/schema.ts";
import { inBatch } from "../database/batch.ts";
import { type Sender, sendNews } from "../http/web-push.ts";
import type { RunContext } from "../run-context.ts";
import { open, placeOfPush } from "../secrets/sealed.ts";
import { ofLock } from "./traceable.ts";

/** One message after landing, to holders who asked for it: an old label can misroute the bag (rules §5, "Reminder"). */

const HOUR = 3_600_000;
/** A booking ends 24 hours after its last arrival (rules §2): an hour after landing, before that (milliseconds). */
export const BEFORE_END = 23 * HOUR;

/** Messages at once: a Worker has six connections, and the database needs one. */
const AT_ONCE = 5;
/** Rows of one read; a run reads until one is not full. */
const ROWS = 50;
/** Reads of one run, which shares D1's thousand statements with the webhooks. */
const READS = 20;

/** What decides about a reminder that is due. */
interface Due {
  /** Null: what the endpoint hung on is no longer the tag's lock. */
  readonly planEndsAt: number | null;
  readonly lostAt: number | null;
  readonly foundAt: number | null;
}

/** `later`: the flight is late. Of a bag that is lost or was found, an old label is no mistake. */
export function decideReminder({ planEndsAt, lostAt, foundAt }: Due, now: number) {
  if (planEndsAt === null || lostAt !== null || foundAt !== null) return { kind: "never", at: null } as const;
  const at = planEndsAt - BEFORE_END;
  return at > now ? ({ kind: "later", at } as const) : ({ kind: "now", at: null } as const);
}

type ReminderRun = RunContext & Sender;

/** Sends the reminders that are due; returns how many messages. Each is tried once, also by two runs at the same time. */
export async function sendReminders(ctx: ReminderRun): Promise<number> {
  if (ctx.settings.push === undefined) return 0;
  let sent = 0;
  for (let reads = 0; reads < READS; reads++) {
    const due = await readDue(ctx);
    if (due.length === 0) break;
    sent += await send(ctx, await take(ctx, due));
    if (due.length < ROWS) break;
  }
  return sent;
}

const push = pushEndpoints;

const readDue = ({ db, now }: RunContext) =>
  db
    .select({
      deviceId: push.deviceId,
      holderSub: push.holderSub,
      endpointSealed: push.endpointSealed,
      remindAt: push.remindAt,
      lostAt: deviceTicketLocks.lostAt,
      foundAt: deviceTicketLocks.foundAt,
      planEndsAt: travelPlans.endsAt,
    })
    .from(push)
    .leftJoin(deviceTicketLocks, ofLock(push))
    .leftJoin(travelPlans, eq(travelPlans.id, deviceTicketLocks.planId))
    .where(lte(push.remindAt, now))
    .orderBy(push.remindAt)
    .limit(ROWS);

type DueRow = Awaited<ReturnType<typeof readDue>>[number];

/** Stores what becomes of each row that still is as it was read; returns those to be sent. */
async function take({ db, now }: RunContext, rows: readonly DueRow[]): Promise<readonly DueRow[]> {
  const decided = rows.map((row) => ({ row, next: decideReminder(row, now) }));
  const listed = decided.map(({ row, next }) => [row.deviceId, row.holderSub, row.remindAt, next.at]);
  const field = (index: number) => sql`listed.value ->> ${sql.raw(String(index))}`;
  const isListed = and(
    ...[sql`${push.deviceId} = ${field(0)}`, sql`${push.holderSub} = ${field(1)}`],
    sql`${push.remindAt} = ${field(2)}`,
  );
  const taken = await db
    .update(push)
    .set({ remindAt: field(3) })
    .from(sql`json_each(${JSON.stringify(listed)}) as listed`)
    .where(isListed)
    .returning({ deviceId: push.deviceId, holderSub: push.holderSub });
  const keyOf = ({ deviceId, holderSub }: (typeof taken)[number]) => JSON.stringify([deviceId, holderSub]);
  const isTaken = new Set(taken.map(keyOf));
  return decided.flatMap(({ row, next }) => (next.kind === "now" && isTaken.has(keyOf(row)) ? [row] : []));
}

/** One message for each endpoint: a holder may have several tags. Returns how many. */
async function send(ctx: ReminderRun, rows: readonly DueRow[]): Promise<number> {
  const opened = await Promise.all(
    rows.map(async (row) => {
      const place = placeOfPush(row.deviceId, row.holderSub);
      // An endpoint whose key was lost is sent nothing.
      const endpoint = await open(ctx.settings.dataKey, place, row.endpointSealed).catch(() => "");
      return { row, endpoint };
    }),
  );
  const endpoints = [...new Set(opened.map(({ endpoint }) => endpoint))].filter(
    (endpoint) => endpoint !== "",
  );
  const left = [...endpoints];
  const gone = new Set<string>();
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      if ((await sendNews(ctx, next)) === "gone") gone.add(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const expired = opened.filter(({ endpoint }) => gone.has(endpoint)).map(({ row }) => row);
  await inBatch(ctx.db, { expired: expired.length === 0 ? undefined : removeEndpoints(ctx, expired) });
  return endpoints.length;
}

/** An endpoint that the holder has set since then stays. */
const removeEndpoints = ({ db }: RunContext, rows: readonly DueRow[]) => {
  const keys = rows.map(({ deviceId, holderSub, endpointSealed }) => [deviceId, holderSub, endpointSealed]);
  return db.delete(push).where(sql`(${push.deviceId}, ${push.holderSub}, ${push.endpointSealed}) in
    (select value ->> 0, value ->> 1, value ->> 2 from json_each(${JSON.stringify(keys)}))`);
};
