import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import { deviceTicketLocks, loadedPlans, travelPlans } from "../../db/schema.ts";
import type { RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import { isWithin } from "./rate-limits.ts";

/**
 * A hall of passengers shares one address: how often they may write together (rules §2). Where that is spent, holders
 * have a counter of their own. Refused requests are given back: they cost their caller alone.
 */
export type Door = "hall" | "holder";

const WINDOW = 60_000;
/** The most networks with returned requests; the oldest is dropped first. */
const MOST_NETWORKS = 1_000;

/** Whether the network's own counter has room; else holders may still {@link enterAsHolder}. */
export const enterHall = (ctx: RequestContext): Promise<boolean> => enter(ctx, "hall");

/** For holders. Throws `too_many_requests` where their counter is spent, too. */
export async function enterAsHolder(ctx: RequestContext): Promise<void> {
  if (!(await enter(ctx, "holder"))) throw hallSpent("holder");
}

async function enter(ctx: RequestContext, door: Door): Promise<boolean> {
  const isWithinRate = takesBack(ctx, door) || (await isWithin(ctx, door, ctx.network));
  if (isWithinRate) ctx.entered.add(door);
  return isWithinRate;
}

/** Gives back what a refused request has raised. */
export function leaveHall(ctx: RequestContext): void {
  for (const door of ctx.entered) giveBack(ctx, door);
}

/**
 * A refused request gives back what it raised: bindings cannot be lowered, so a later request of the network raises
 * nothing instead. At most as many a minute as the counter allows, because refused requests write rows, too.
 */
function giveBack(ctx: RequestContext, door: Door): void {
  const { isolate, now, settings } = ctx;
  const key = keyOf(ctx, door);
  const known = isolate.returned.get(key);
  const returned = known && known.until > now ? known : { until: now + WINDOW, count: 0, unused: 0 };
  if (returned.count >= settings.limits.writesPerNetworkPerMinute) return;
  returned.count += 1;
  returned.unused += 1;
  isolate.returned.delete(key);
  const oldest = isolate.returned.keys().next();
  if (isolate.returned.size >= MOST_NETWORKS && oldest.value !== undefined)
    isolate.returned.delete(oldest.value);
  isolate.returned.set(key, returned);
}

/** Whether a refused request has raised the counter for this one. */
function takesBack(ctx: RequestContext, door: Door): boolean {
  const returned = ctx.isolate.returned.get(keyOf(ctx, door));
  if (returned === undefined || returned.until <= ctx.now || returned.unused === 0) return false;
  returned.unused -= 1;
  return true;
}

const keyOf = ({ network }: RequestContext, door: Door) => `${door}:${network}`;

/** Whether `sub` has loaded a booking that is not past, or holds a live lock. */
export const isHolder = ({ db, now }: RequestContext, sub: string): SQL => {
  const loaded = db
    .select({ planId: loadedPlans.planId })
    .from(loadedPlans)
    .innerJoin(travelPlans, eq(travelPlans.id, loadedPlans.planId))
    .where(and(eq(loadedPlans.sub, sub), gt(travelPlans.endsAt, now)));
  const locked = db
    .select({ deviceId: deviceTicketLocks.deviceId })
    .from(deviceTicketLocks)
    .where(and(eq(deviceTicketLocks.holderSub, sub), gt(deviceTicketLocks.endsAt, now)));
  return sql`(exists ${loaded} or exists ${locked})`;
};

/** For other callers once the hall's counter is spent, and for holders once theirs is, too. */
export const hallSpent = (door: Door) => new ApiError("too_many_requests", { reason: `rate of ${door}` });
