import { and, inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { deviceTicketLocks, pushEndpoints } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { sendNews } from "../http/web-push.ts";
import { open, placeOfPush } from "../secrets/sealed.ts";

/** News of a lock that ended otherwise than by a holder, for holders whose page is closed (rules §5, "End"). */

const push = pushEndpoints;

/**
 * Deletes and returns the endpoints that hang on the locks of `which`: a statement before the one that deletes these locks.
 * Each lock ends once, so a holder gets one message. Undefined where the service sends none.
 */
export function takeEndpoints({ db, settings }: BearerContext, which: SQL) {
  if (settings.push === undefined) return undefined;
  const lock = deviceTicketLocks;
  const ofLocks = (column: SQLiteColumn) => db.select({ of: column }).from(lock).where(which);
  return db
    .delete(push)
    .where(
      and(
        inArray(push.deviceId, ofLocks(lock.deviceId)),
        inArray(push.lockRequestId, ofLocks(lock.requestId)),
      ),
    )
    .returning({ deviceId: push.deviceId, holderSub: push.holderSub, endpointSealed: push.endpointSealed });
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

/** The locks of `deviceIds`. */
export const locksOn = (deviceIds: SQL): SQL => sql`${deviceTicketLocks.deviceId} in ${deviceIds}`;
