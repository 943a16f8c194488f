import { sql } from "drizzle-orm";
import type { EbtUnlockResponse, LockReleaseRequest } from "../../core/api/index.ts";
import { deviceTicketLocks } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { knownDeviceId } from "../devices/known-device.ts";
import { ApiError } from "../errors.ts";
import { lockRemoval } from "./lock-removal.ts";
import { isLiveLockOf, isOfAirlines } from "./lock-rules.ts";

/**
 * Removes a lock on a journey of the caller's airlines, for ground staff (rules §5): no proof, but a reason, kept
 * in the audit log. A tag that is not locked stays so. One batch.
 * Throws `insufficient_scope`: the lock is another airline's.
 */
export async function releaseLock(
  ctx: BearerContext,
  { uniqueDeviceId, reason }: LockReleaseRequest,
): Promise<EbtUnlockResponse> {
  const device = knownDeviceId(uniqueDeviceId);
  const allowed = isOfAirlines(ctx.principal.airlines);
  const removal = lockRemoval(ctx, { device, allowed, event: "lock_released_by_staff", reason });
  // A lock that is still there is another airline's.
  const left = ctx.db
    .select({ isLocked: sql<number>`1`.as("is_locked") })
    .from(deviceTicketLocks)
    .where(isLiveLockOf(ctx, device));
  const [, , , foreign] = await ctx.db.batch([...removal, left]);
  if (foreign.length > 0) throw new ApiError("insufficient_scope", { reason: "another airline's lock" });
  return { uniqueDeviceId, locked: false };
}
