import { and, eq, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { deviceTicketLocks, foundReports, pushEndpoints, travelPlans } from "../../db/schema.ts";
import type { BearerContext, RequestContext } from "../context.ts";
import { inBatch, insertFrom, type Values, written } from "../database/batch.ts";
import { deviceKey } from "../devices/identity.ts";
import { ApiError } from "../errors.ts";
import { pushService, sendNews } from "../http/web-push.ts";
import { open, placeOfPush, seal } from "../secrets/sealed.ts";
import { BEFORE_END } from "./reminder.ts";
import { isTraceable, ofLock, REPORTS_PER_DAY } from "./traceable.ts";

/**
 * News for holders whose page is closed (rules §5, "Found", "End"): of a bag that is found, and of a lock that ended otherwise
 * than by a holder.
 */

/** The most holders of a lock that are notified. */
const HOLDERS = 4;
const DAY = 86_400_000;

const push = pushEndpoints;
const lock = deviceTicketLocks;

/** An endpoint as its row holds it, or none. */
type NewPush = Pick<typeof push.$inferSelect, "endpointSealed"> | "none";

/** Throws `invalid_request` for an endpoint elsewhere, and for any where none is sent to. */
export async function newPush(
  ctx: BearerContext,
  uniqueDeviceId: string,
  endpoint: string,
): Promise<NewPush> {
  const { principal, settings } = ctx;
  if (endpoint === "") return "none";
  if (settings.push === undefined || pushService(ctx, endpoint) === undefined) {
    throw new ApiError("invalid_request", {
      message: "The request is malformed: pushEndpoint.",
      errors: ["pushEndpoint must be an endpoint of a push service that this service sends to"],
    });
  }
  const place = placeOfPush(deviceKey(uniqueDeviceId), principal.sub);
  return { endpointSealed: await seal(settings.dataKey, place, endpoint) };
}

/** Of a lock's booking. */
const reminderTime = sql`((select ${travelPlans.endsAt} from ${travelPlans}
  where ${travelPlans.id} = ${deviceTicketLocks.planId}) - ${BEFORE_END})`;

/** The caller's own endpoint on the lock of `which`: in the place of another, or none. Without `remind` a reminder stays as it is. */
export function changePush(
  { db, principal }: BearerContext,
  which: SQL,
  endpoint: NewPush,
  remind: boolean | undefined,
) {
  const holderSub = principal.sub;
  if (endpoint === "none") {
    const own = sql`${push.deviceId} in (select ${lock.deviceId} from ${lock} where ${which})`;
    return db.delete(push).where(and(own, eq(push.holderSub, holderSub)));
  }
  const row = {
    deviceId: lock.deviceId,
    lockRequestId: lock.requestId,
    holderSub,
    ...endpoint,
    sentDay: 0,
    sentCount: 0,
    remindAt: remind === true ? reminderTime : null,
  };
  const others = sql`(select count(*) from ${push} where ${ofLock(push)} and ${ne(push.holderSub, holderSub)})`;
  const source = sql`from ${lock} where ${which} and ${others} < ${HOLDERS}`;
  const isSameLock = sql`${push.lockRequestId} = excluded.lock_request_id`;
  return insertFrom(db, push, row, source).onConflictDoUpdate({
    target: [push.deviceId, push.holderSub],
    set: {
      ...{ ...endpoint, lockRequestId: sql`excluded.lock_request_id` },
      ...(remind !== undefined && { remindAt: sql`excluded.remind_at` }),
      // Messages sent for this lock today still count.
      sentCount: sql`case when ${isSameLock} then ${push.sentCount} else 0 end`,
    },
  });
}

/**
 * Notifies subscribed holders of this request's report, if it is the first of the day from `source`. The statement is the
 * same for every id: it finds rows only where there is an entitled lock, and no answer waits for it.
 */
export async function pushNews(ctx: RequestContext, uniqueDeviceId: string, source: string): Promise<void> {
  const { db, now, requestId, settings } = ctx;
  if (settings.push === undefined) return;
  const device = deviceKey(uniqueDeviceId);
  const day = Math.floor(now / DAY);
  const { reportedAt, lockRequestId } = foundReports;
  const isOfDay = and(eq(foundReports.deviceId, device), sql`${reportedAt} >= ${day * DAY}`);
  const isOther = and(eq(foundReports.source, source), ne(foundReports.requestId, requestId));
  const isRepeated = sql`exists (select 1 from ${foundReports}
    where ${and(isOfDay, isOther, eq(lockRequestId, push.lockRequestId))})`;
  const isUnmuted = sql`exists (select 1 from ${lock}
    where ${and(isTraceable(ctx, uniqueDeviceId), ofLock(push), isNull(lock.mutedAt))})`;
  const isDue = or(ne(push.sentDay, day), sql`${push.sentCount} < ${REPORTS_PER_DAY}`);
  const { due } = await inBatch(db, {
    due: db
      .update(push)
      .set({
        sentDay: day,
        sentCount: sql`case when ${push.sentDay} = ${day} then ${push.sentCount} + 1 else 1 end`,
      })
      .where(and(eq(push.deviceId, device), sql`not ${isRepeated}`, isUnmuted, isDue))
      .returning({ holderSub: push.holderSub, endpointSealed: push.endpointSealed }),
  });
  const expired = await Promise.all(
    due.map(async ({ holderSub, endpointSealed }) => {
      const place = placeOfPush(device, holderSub);
      // An endpoint whose key was lost is sent nothing, and costs no other its message.
      const endpoint = await open(settings.dataKey, place, endpointSealed).catch(() => "");
      if ((await sendNews(ctx, endpoint)) === "done") return [];
      // An endpoint that the holder has set since then stays.
      const isSame = and(eq(push.deviceId, device), eq(push.endpointSealed, endpointSealed));
      return [db.delete(push).where(isSame)];
    }),
  );
  await inBatch(db, { expired: expired.flat() });
}

/**
 * Deletes and returns the endpoints that hang on the locks of `which`: a statement before the one that deletes these locks.
 * Each lock ends once, so a holder gets one message. Undefined where the service sends none.
 */
export function takingEndpoints(which: SQL) {
  const ofLocks = (column: SQLiteColumn) => sql`(select ${column} from ${lock} where ${which})`;
  const take = written<Endpoint>(sql`delete from ${push} where ${push.deviceId} in ${ofLocks(lock.deviceId)}
    and ${push.lockRequestId} in ${ofLocks(lock.requestId)}
    returning device_id as "deviceId", holder_sub as "holderSub", endpoint_sealed as "endpointSealed"`);
  return ({ db, settings }: BearerContext, values: Values) => settings.push && take(db, values);
}

type Endpoint = Pick<typeof push.$inferSelect, "deviceId" | "holderSub" | "endpointSealed">;

/** Notifies `endpoints` after the answer; not the caller, who knows. */
export function pushEnd(ctx: BearerContext, endpoints: readonly Endpoint[] = []): void {
  const others = endpoints.filter(({ holderSub }) => holderSub !== ctx.principal.sub);
  if (others.length === 0) return;
  ctx.afterwards.push(async () => {
    await Promise.all(
      others.map(async ({ deviceId, holderSub, endpointSealed }) => {
        const place = placeOfPush(deviceId, holderSub);
        // An endpoint whose key was lost is sent nothing.
        const endpoint = await open(ctx.settings.dataKey, place, endpointSealed).catch(() => "");
        await sendNews(ctx, endpoint);
      }),
    );
  });
}
