import { and, eq, gt, or, type SQL, sql } from "drizzle-orm";
import {
  deviceTicketLocks,
  type foundReports,
  loadedPlans,
  type locationLinks,
  type pushEndpoints,
  travelPlans,
} from "../../db/schema.ts";
import { bagOfLock, locksWithBag } from "../audit/audited-lock.ts";
import { type AuditEntry, audited, byCaller } from "../audit/log.ts";
import type { BearerContext, RequestContext } from "../context.ts";
import { inList } from "../database/batch.ts";
import { deviceKey, isHardwareKey } from "../devices/identity.ts";

/** What the story of a found bag hangs on (rules §5, "Found"): conditions over `device_ticket_locks`. */

/** Not past its end. */
const isLive = ({ now }: RequestContext): SQL => gt(deviceTicketLocks.endsAt, now);

/** A live, entitled lock: claims are not traced, and claimants get no reports. */
export const isLiveEntitled = (ctx: RequestContext): SQL =>
  and(eq(deviceTicketLocks.entitled, true), isLive(ctx)) as SQL;

/** A live, entitled lock on the tag of that very id: no alias of it, nor the key of a tag stored by MAC or GUID alone. */
export const isTraceable = (ctx: RequestContext, uniqueDeviceId: string): SQL =>
  and(
    eq(deviceTicketLocks.deviceId, deviceKey(uniqueDeviceId)),
    isHardwareKey(deviceKey(uniqueDeviceId)) ? sql`false` : isLiveEntitled(ctx),
  ) as SQL;

/** The caller holds the lock: `isHolder` of tags/rules.ts, without delegates. */
export const isHolder = ({ principal, now, settings }: BearerContext): SQL<boolean> => {
  const { holderSub, lockedAt, planId } = deviceTicketLocks;
  const isAttacher = and(
    eq(holderSub, principal.sub),
    principal.staff ? gt(lockedAt, now - settings.limits.staffHoldsSeconds * 1_000) : undefined,
  );
  const hasLoaded = sql`${planId} in (select ${loadedPlans.planId} from ${loadedPlans}
    where ${loadedPlans.sub} = ${principal.sub} and ${loadedPlans.delegationId} is null)`;
  return or(isAttacher, hasLoaded) as SQL<boolean>;
};

/** Whether the lock is on a booking of one of `airlines`; false if there are none. */
export const isOfAirlines = (airlines: readonly string[]): SQL<boolean> =>
  sql<boolean>`((select ${travelPlans.airline} from ${travelPlans}
    where ${travelPlans.id} = ${deviceTicketLocks.planId}) in ${inList(airlines)})`;

/** A row for each lock of `which`, for the airline of its booking; before the statement that makes `which` untrue. */
export const auditLock = (ctx: BearerContext, event: AuditEntry["event"], which: SQL) =>
  audited(
    ctx,
    {
      event,
      ...byCaller(ctx),
      deviceId: deviceTicketLocks.deviceId,
      reason: null,
      ...bagOfLock,
      airline: travelPlans.airline,
    },
    sql`from ${locksWithBag} where ${which}`,
  );

/** Joins rows that belong to a lock to that very lock. */
export const ofLock = (table: typeof foundReports | typeof locationLinks | typeof pushEndpoints): SQL =>
  and(
    eq(table.deviceId, deviceTicketLocks.deviceId),
    eq(table.lockRequestId, deviceTicketLocks.requestId),
  ) as SQL;

/** The most reports of a UTC day that the holder gets. */
export const REPORTS_PER_DAY = 3;
