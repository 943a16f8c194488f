import { and, sql } from "drizzle-orm";
import type { EbtUnlockRequest, EbtUnlockResponse } from "../../core/api/index.ts";
import { deviceTicketLocks } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { knownDeviceId } from "../devices/known-device.ts";
import { isUnused, type Keyed, outcomeOf, type Settled, settle } from "../guards/idempotency.ts";
import { lockRemoval } from "./lock-removal.ts";
import { isHolder, isLiveLockOf } from "./lock-rules.ts";

/** An answer, and whether it is an earlier one again. */
export interface Unlocked {
  readonly answer: EbtUnlockResponse;
  readonly isReplay: boolean;
}

/**
 * Removes the lock for its holder (endpoint 12, rules §5); a tag that is not locked stays so. One batch: whoever
 * is no holder when it runs changes nothing.
 * Throws `not_lock_holder`, `idempotency_key_reused`.
 */
export async function unlock(
  ctx: BearerContext,
  { uniqueDeviceId }: EbtUnlockRequest,
  keyed: Keyed,
): Promise<Unlocked> {
  const device = knownDeviceId(uniqueDeviceId);
  const allowed = and(isHolder(ctx.principal.sub), isUnused(ctx, keyed));
  const removal = lockRemoval(ctx, { device, allowed, event: "lock_removed_by_holder" });
  // A lock that is still there is somebody else's.
  const verdict = sql`select case when exists (
      select 1 from ${deviceTicketLocks} where ${isLiveLockOf(ctx, device)}
    ) then 'not_lock_holder' else 'ok' end as outcome, '{}' as facts`;
  const answers = await ctx.db.batch([...removal, ...settle(ctx, keyed, verdict)]);
  const { isReplay } = outcomeOf(keyed, answers.slice(removal.length) as unknown as Settled);
  return { answer: { uniqueDeviceId, locked: false }, isReplay };
}
