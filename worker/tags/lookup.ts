import { eq } from "drizzle-orm";
import type { EbtLockLookupRequest, EbtLockLookupResponse } from "../../core/api/index.ts";
import { deviceTicketLocks, failedProofs, journeys, travelPlans } from "../../db/schema.ts";
import { open } from "../../db/sealed.ts";
import type { RequestContext } from "../context.ts";
import { knownDeviceId } from "../devices/identity.ts";
import { failedAtLock, failedColumns, failedNotice } from "../guards/failed-proofs.ts";
import { lockHints } from "./hints.ts";
import { isHolder, isLiveLockOf } from "./lock-rules.ts";

/**
 * Whether a tag is locked and, as far as the caller may know, to whom (endpoint 10, rules §5). Writes
 * nothing.
 */

/** The live lock on the tag: a statement that asks for `sub`. */
export const readLockFor = (ctx: RequestContext, sub: string, { uniqueDeviceId }: EbtLockLookupRequest) =>
  ctx.db
    .select({
      planId: deviceTicketLocks.planId,
      lostAt: deviceTicketLocks.lostAt,
      isHolder: isHolder(sub).mapWith(Boolean).as("is_holder"),
      locatorSealed: travelPlans.locatorSealed,
      surnameInitial: journeys.surnameInitial,
      departureAirport: journeys.departureAirport,
      destinationAirport: journeys.destinationAirport,
      ...failedColumns,
    })
    .from(deviceTicketLocks)
    .innerJoin(travelPlans, eq(travelPlans.id, deviceTicketLocks.planId))
    // If a journey was removed from its booking, the tag stays locked to the booking.
    .leftJoin(journeys, eq(journeys.id, deviceTicketLocks.journeyId))
    .leftJoin(failedProofs, failedAtLock())
    .where(isLiveLockOf(ctx, knownDeviceId(uniqueDeviceId)));

type LockRow = Awaited<ReturnType<typeof readLockFor>>[number];

/**
 * What the rows of {@link readLockFor} say. Callers who have to prove custody get hints, holders the notice.
 */
export async function lookUp(
  ctx: RequestContext,
  [lock]: readonly LockRow[],
): Promise<EbtLockLookupResponse> {
  if (lock === undefined) return { locked: false, sameTravelPlan: false, requiresCustodyProof: false };
  const sameTravelPlan = lock.isHolder;
  return {
    locked: true,
    sameTravelPlan,
    requiresCustodyProof: !sameTravelPlan,
    ...(sameTravelPlan ? failedNotice(lock) : { hints: await hintsOf(ctx, lock) }),
    ...(lock.lostAt === null ? {} : { lost: true }),
  };
}

async function hintsOf({ settings }: RequestContext, lock: LockRow) {
  const recordLocator = await open(
    settings.dataKey,
    { field: "locator", id: lock.planId },
    lock.locatorSealed,
  );
  return lockHints({
    recordLocator,
    surname: lock.surnameInitial ?? "",
    departureAirport: lock.departureAirport ?? "",
    destinationAirport: lock.destinationAirport ?? "",
  });
}
