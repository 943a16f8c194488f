import { and, type SQL } from "drizzle-orm";
import type { EbtUnlockResponse, LockReleaseRequest } from "../../core/api/index.ts";
import { devices, deviceTicketLocks, guessCounters } from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import { byCaller } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { inBatch } from "../database/statements.ts";
import { ApiError } from "../errors.ts";
import { type Budget, countGuess, requireWithin } from "../guards/counters.ts";
import { whoStandsThere } from "../staff/staff-pin.ts";
import { endLocks, isBareClaim, isLiveLockOf, isOfAirlines } from "./lock-rules.ts";
import { hear } from "./statement.ts";

/**
 * Removes a lock for ground staff (rules §5), who need no proof but a reason, which the audit log keeps. Of
 * other airlines they may release claims, unproven locks on tags that cannot sign, and any lock whose tag is
 * in hand: its statement answers their challenge. A tag that is not locked stays so. Throws
 * `insufficient_scope` (the lock is another airline's), `too_many_requests`, and as `whoStandsThere`.
 */
export async function releaseLock(ctx: BearerContext, input: LockReleaseRequest): Promise<EbtUnlockResponse> {
  const { uniqueDeviceId, reason } = input;
  const { staffId, right } = await whoStandsThere(ctx, input.staff);
  const heard = await hear(ctx, input);
  const { airlines } = ctx.principal;
  const isLocked = isLiveLockOf(ctx, uniqueDeviceId);
  const isOwn = isOfAirlines(airlines);
  const foreign = sql`${isLocked} and not ${isOwn} and (${heard.isInHand} or ${isBareClaim} or ${isUnproven})`;
  const budgets = [foreignReleases(ctx, foreign)];
  // Counted by this very request; one over the cap is not.
  const isFew = sql`exists (select 1 from ${guessCounters}
    where ${guessCounters.key} = ${foreignKey(ctx)} and ${guessCounters.requestId} = ${ctx.requestId})`;
  const ending = { event: "released", end: "staff" } as const;
  const by = { ...byCaller(ctx), staffId };
  const { counted, left } = await inBatch(ctx.db, {
    right,
    heard: heard.changes,
    counted: countGuess(ctx, budgets),
    own: endLocks(ctx, { ...ending, which: and(isLocked, isOwn) as SQL, entries: [{ reason, by }] }),
    foreign: endLocks(ctx, {
      ...ending,
      which: sql`${foreign} and ${isFew}`,
      // The other airline learns who released its lock and why, and nothing of the account.
      entries: [
        { reason, by, airline: airlines[0] ?? null },
        { reason: `${airlines.join(" ")}: ${reason}`, by: {} },
      ],
    }),
    left: ctx.db
      .select({ isLocked: sql<number>`1`.as("is_locked") })
      .from(deviceTicketLocks)
      .where(isLocked),
  });
  requireWithin(ctx, counted, "too_many_requests");
  // If the lock is still there, it is another airline's.
  if (left.length > 0) throw new ApiError("insufficient_scope", { reason: "another airline's lock" });
  return { uniqueDeviceId, locked: false };
}

/** A lock without a number, on a tag that has no key to give one with. */
const isUnproven = sql`(${deviceTicketLocks.commits} is null and exists (select 1 from ${devices}
  where ${devices.id} = ${deviceTicketLocks.deviceId} and ${devices.tagSpkiHash} is null))`;

const foreignKey = ({ principal }: BearerContext) => `release:${principal.sub}`;

/** What an account may release of other airlines in a day; its own airlines' locks cost nothing. */
const foreignReleases = (ctx: BearerContext, foreign: SQL): Budget => ({
  key: foreignKey(ctx),
  cap: ctx.settings.limits.foreignReleasesPerDay,
  windowSeconds: 86_400,
  exempt: sql`not exists (select 1 from ${deviceTicketLocks} where ${foreign})`,
});
