import { sql } from "drizzle-orm";
import { type Endpoint, type EndpointName, errorStatus } from "../../core/api/index.ts";
import { deviceTicketLocks, loadedPlans, travelPlans } from "../../db/schema.ts";
import type { Bindings } from "../config/env.ts";
import type { RateLimits, RequestContext } from "../context.ts";
import { parameter } from "../database/batch.ts";
import { ApiError } from "../errors.ts";

/**
 * How often one caller may call (rules §2). Bindings beside the database count before any work is done. The
 * numbers are in `core/api/limits.ts`, and wrangler.toml has the same ones. Guesses are counted in
 * guess-budget.ts.
 */

/** No counters at all. */
export const UNLIMITED: RateLimits = {
  nonce: undefined,
  login: undefined,
  lookup: undefined,
  feed: undefined,
  read: undefined,
  write: undefined,
  hall: undefined,
  holder: undefined,
};

export const rateLimitsOf = (bindings: Bindings): RateLimits => ({
  nonce: bindings.NONCE_LIMIT,
  login: bindings.LOGIN_LIMIT,
  lookup: bindings.LOOKUP_LIMIT,
  feed: bindings.FEED_LIMIT,
  read: bindings.READ_LIMIT,
  write: bindings.WRITE_LIMIT,
  hall: bindings.HALL_LIMIT,
  holder: bindings.HOLDER_LIMIT,
});

/** Checked before the client key. Throws `too_many_requests`. */
export const requireNetworkRate = (
  ctx: RequestContext,
  limit: keyof RateLimits,
  name: EndpointName,
): Promise<void> => requireRate(ctx, limit, `${name}:${ctx.network}`);

/**
 * Checked once a login has authenticated the caller, before its session is written: passengers by their network, staff by
 * `account` alone. What others were refused for counts apart ({@link refuseLogin}). Throws `too_many_requests`.
 */
export const requireLoginRate = (ctx: RequestContext, name: EndpointName, account?: string): Promise<void> =>
  requireRate(ctx, "login", `${name}:${account ?? ctx.network}`);

/**
 * Counts a refused login by its network, and throws `error`, or `too_many_requests` above the rate. Not counted are
 * proofs of possession, which a legitimate caller with a wrong clock repeats, and logins with a right secret (`isCounted`).
 */
export async function refuseLogin(ctx: RequestContext, name: EndpointName, error: unknown): Promise<never> {
  const isLogin =
    error instanceof ApiError && errorStatus(error.code) === 401 && error.code !== "invalid_dpop_proof";
  if (isLogin && !error.detail.isCounted) await requireRate(ctx, "login", `${name}:refused:${ctx.network}`);
  throw error;
}

/**
 * Checked as soon as an access token has verified, before the database is asked: recording a proof of
 * possession is a write, too. Ground staff may look up as often as they like. Throws `too_many_requests`.
 */
export async function requireSubjectRate(
  ctx: RequestContext,
  limit: NonNullable<Endpoint["subjectRate"]>,
  { sub, isStaff }: { readonly sub: string; readonly isStaff: boolean },
): Promise<void> {
  if (limit === "lookup" && isStaff) return;
  await requireRate(ctx, limit, sub);
}

/**
 * Refreshes, counted before the database is asked: as many of one session as a passenger's look-ups. No network counts
 * them: a hall that writes much ends no session. Throws `too_many_requests`.
 */
export const requireRefreshRate = (ctx: RequestContext, sessionId: string): Promise<void> =>
  requireRate(ctx, "lookup", `refresh:${sessionId}`);

/**
 * Whether one more refusal of this network deserves a row of the audit log, whose rows stay for good: any
 * caller can cause refusals without limit. Every refusal has a log line, so a counter that fails costs no evidence.
 */
export const isWithinAuditRate = async (ctx: RequestContext): Promise<boolean> =>
  (await ask(ctx, "login", `refusal:${ctx.network}`)) === "within";

/** Raises a counter; false where it is spent. */
export const isWithin = async (ctx: RequestContext, limit: keyof RateLimits, key: string): Promise<boolean> =>
  (await ask(ctx, limit, key)) !== "over";

async function requireRate(ctx: RequestContext, limit: keyof RateLimits, key: string): Promise<void> {
  if (!(await isWithin(ctx, limit, key))) {
    throw new ApiError("too_many_requests", { reason: `rate of ${limit}` });
  }
}

/**
 * A counter that fails refuses no caller: the counters limit load, and no secret is guarded by them alone
 * (docs/security.md). The log line names the failed counter. Development has no counters:
 * a page reloaded all day is no attack.
 */
async function ask(
  ctx: RequestContext,
  limit: keyof RateLimits,
  key: string,
): Promise<"within" | "over" | "uncounted"> {
  const counter = ctx.rateLimits[limit];
  if (counter === undefined || ctx.settings.environment === "development") return "within";
  try {
    return (await counter.limit({ key })).success ? "within" : "over";
  } catch (error) {
    ctx.uncounted.set(limit, error);
    return "uncounted";
  }
}

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

/** Whether the caller has loaded a booking that is not past, or holds a live lock; binds `sub` and `now`. */
export const isHolder = sql`(exists (select 1 from ${loadedPlans}
    inner join ${travelPlans} on ${travelPlans.id} = ${loadedPlans.planId}
    where ${loadedPlans.sub} = ${parameter("sub")} and ${travelPlans.endsAt} > ${parameter("now")})
  or exists (select 1 from ${deviceTicketLocks}
    where ${deviceTicketLocks.holderSub} = ${parameter("sub")} and ${deviceTicketLocks.endsAt} > ${parameter("now")}))`;

/** For other callers once the hall's counter is spent, and for holders once theirs is, too. */
export const hallSpent = (door: Door) => new ApiError("too_many_requests", { reason: `rate of ${door}` });
