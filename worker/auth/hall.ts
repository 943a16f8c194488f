import { and, eq, gt, type SQL } from "drizzle-orm";
import { deviceTicketLocks, loadedPlans, travelPlans } from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import type { RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import { isWithin } from "./rate-limits.ts";

/**
 * A hall of passengers shares one address: how often they may write together (rules §2). Where that is spent, callers
 * who hold something have a counter of their own. Refused requests are given back: they cost their caller alone.
 */
type Door = "hall" | "holder";

const WINDOW = 60_000;
/** So many networks have something to take back; the oldest goes first. */
const MOST_NETWORKS = 1_000;

/** Does `work` behind a counter. */
type Enter<T> = (work: () => Promise<T>) => Promise<T>;

/**
 * Does `work` within the hall's counter; where that is spent, `asHolder`, which authenticates its caller and goes on
 * within the holders' counter. Throws `too_many_requests` where that one is spent, too.
 */
export const throughHall = <T>(
  ctx: RequestContext,
  work: () => Promise<T>,
  asHolder: (enter: Enter<T>) => Promise<T>,
): Promise<T> =>
  through(ctx, "hall", work, () =>
    asHolder((next) => through(ctx, "holder", next, () => Promise.reject(hallSpent("holder")))),
  );

/** Raises the counter of `door` and does `work`; a refused request is given back. */
async function through<T>(
  ctx: RequestContext,
  door: Door,
  work: () => Promise<T>,
  spent: () => Promise<T>,
): Promise<T> {
  if (!(takesBack(ctx, door) || (await isWithin(ctx, door, ctx.network)))) return spent();
  try {
    return await work();
  } catch (error) {
    giveBack(ctx, door);
    throw error;
  }
}

/**
 * A refused request gives back what it raised: bindings cannot be lowered, so a later request of the network raises
 * nothing instead. At most as many a minute as the counter allows, because refused requests write rows, too.
 */
function giveBack(ctx: RequestContext, door: Door): void {
  const { held, now, settings } = ctx;
  const key = keyOf(ctx, door);
  const known = held.returned.get(key);
  const returned = known && known.until > now ? known : { until: now + WINDOW, given: 0, unused: 0 };
  if (returned.given >= settings.limits.writesPerNetworkPerMinute) return;
  returned.given += 1;
  returned.unused += 1;
  held.returned.delete(key);
  const oldest = held.returned.keys().next();
  if (held.returned.size >= MOST_NETWORKS && oldest.value !== undefined) held.returned.delete(oldest.value);
  held.returned.set(key, returned);
}

/** Whether a refused request has raised the counter for this one. */
function takesBack(ctx: RequestContext, door: Door): boolean {
  const returned = ctx.held.returned.get(keyOf(ctx, door));
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

/** For callers who hold nothing where the hall's counter is spent, and for holders once theirs is, too. */
export const hallSpent = (door: Door) => new ApiError("too_many_requests", { reason: `rate of ${door}` });
