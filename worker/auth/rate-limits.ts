import type { Endpoint, EndpointName } from "../../core/api/index.ts";
import type { Bindings } from "../config/env.ts";
import type { RateLimits, RequestContext } from "../context.ts";
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
  write: undefined,
  hall: undefined,
};

export const rateLimitsOf = (bindings: Bindings): RateLimits => ({
  nonce: bindings.NONCE_LIMIT,
  login: bindings.LOGIN_LIMIT,
  lookup: bindings.LOOKUP_LIMIT,
  feed: bindings.FEED_LIMIT,
  write: bindings.WRITE_LIMIT,
  hall: bindings.HALL_LIMIT,
});

/** Checked before the client key is looked at. Throws `too_many_requests`. */
export const requireNetworkRate = (
  ctx: RequestContext,
  limit: keyof RateLimits,
  name: EndpointName,
): Promise<void> => requireRate(ctx, limit, `${name}:${ctx.network}`);

/** Whom an access token or refresh token names. */
interface Caller {
  readonly sub: string;
  readonly isStaff: boolean;
}

/**
 * Checked as soon as an access token has verified, before the database is asked: recording a proof of
 * possession is a write, too. Ground staff may look up as often as they like, and no network counts them.
 * Throws `too_many_requests`.
 */
export async function requireSubjectRate(
  ctx: RequestContext,
  limit: NonNullable<Endpoint["subjectRate"]>,
  { sub, isStaff }: Caller,
): Promise<void> {
  if (limit === "lookup" && isStaff) return;
  await requireRate(ctx, limit, sub);
  if (limit === "write" && !isStaff) await requireRate(ctx, "hall", ctx.network);
}

/**
 * Refreshes, counted before the database is asked: as many of one session as a passenger's look-ups, and of a
 * network's passengers as their other writes. Throws `too_many_requests`.
 */
export async function requireRefreshRate(
  ctx: RequestContext,
  { sessionId, isStaff }: { readonly sessionId: string; readonly isStaff: boolean },
): Promise<void> {
  await requireRate(ctx, "lookup", `refresh:${sessionId}`);
  if (!isStaff) await requireRate(ctx, "hall", ctx.network);
}

/**
 * Whether one more refusal of this network deserves a row of the audit log, whose rows stay for good: anybody
 * can be refused as often as they like. Every refusal has a log line, so a counter that fails costs no
 * evidence.
 */
export const isWorthAuditing = async (ctx: RequestContext): Promise<boolean> =>
  (await ask(ctx, "login", `refusal:${ctx.network}`)) === "within";

async function requireRate(ctx: RequestContext, limit: keyof RateLimits, key: string): Promise<void> {
  if ((await ask(ctx, limit, key)) === "over") {
    throw new ApiError("too_many_requests", { reason: `rate of ${limit}` });
  }
}

/**
 * A counter that fails refuses nobody: the counters limit load, and no secret is guarded by them alone
 * (docs/security.md). The log line names the failed counter. In development nobody is counted: a page
 * reloaded all day is no attack.
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
