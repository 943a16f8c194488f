import { and, eq, type SQL, sql } from "drizzle-orm";
import {
  deviceTicketLocks,
  type foundReports,
  type locationLinks,
  type pushEndpoints,
} from "../../db/schema.ts";
import type { RequestContext } from "../context.ts";
import { deviceKey, isHardwareKey } from "../devices/identity.ts";
import { isLive } from "./lock-conditions.ts";

/** What the story of a found bag hangs on (rules §5, "Found"). */

/**
 * A live, entitled lock on the tag of that very id, and no alias of it: a condition over `device_ticket_locks`. Claims are not
 * traced, and claimants get no reports; nor are tags stored by MAC or GUID alone, not even by the key of their row.
 */
export const isTraceable = (ctx: RequestContext, uniqueDeviceId: string): SQL =>
  and(
    eq(deviceTicketLocks.deviceId, deviceKey(uniqueDeviceId)),
    isHardwareKey(deviceKey(uniqueDeviceId)) ? sql`false` : eq(deviceTicketLocks.entitled, true),
    isLive(ctx),
  ) as SQL;

/** Joins rows that belong to a lock to that very lock. */
export const ofLock = (table: typeof foundReports | typeof locationLinks | typeof pushEndpoints): SQL =>
  and(
    eq(table.deviceId, deviceTicketLocks.deviceId),
    eq(table.lockRequestId, deviceTicketLocks.requestId),
  ) as SQL;

/** The most reports of a UTC day that the holder gets. */
export const REPORTS_PER_DAY = 3;
