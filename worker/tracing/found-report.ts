import { and, type SQL, sql } from "drizzle-orm";
import type { FoundReportRequest, FoundReportResponse } from "../../core/api/index.ts";
import { deviceTicketLocks, foundReports, guessCounters, travelPlans } from "../../db/schema.ts";
import { bagOfLock, locksWithBag } from "../audit/audited-lock.ts";
import { audited } from "../audit/log.ts";
import type { RequestContext } from "../context.ts";
import { inBatch, insertFrom } from "../database/batch.ts";
import { deviceKey, isHardwareKey } from "../devices/identity.ts";
import { type Budget, countGuess, HOUR, requireWithin } from "../guards/counters.ts";
import { hmacText, placeOfReport, seal } from "../secrets/sealed.ts";
import { pushNews } from "./found-push.ts";
import { isTraceable } from "./traceable.ts";

/**
 * A finder's report of a bag (rules §5, "Found"). Finders are not authenticated, so the answer and the work are the same
 * for every id: one batch of the same statements, sealed before the tag is looked up. They find a row to write only where
 * there is an entitled lock. Throws `too_many_requests`, counted by id whether there is such a tag or not.
 */
export async function reportFound(
  ctx: RequestContext,
  { uniqueDeviceId, ...report }: FoundReportRequest,
): Promise<FoundReportResponse> {
  const { db, now, requestId, settings } = ctx;
  const device = deviceKey(uniqueDeviceId);
  const source = await hmacText(settings.pepperKey, "finder", device, ctx.network);
  const saidSealed = await seal(settings.dataKey, placeOfReport(device, requestId), JSON.stringify(report));
  const lock = deviceTicketLocks;
  const isTraced = and(isTraceable(ctx, uniqueDeviceId), wasCounted(ctx, device)) as SQL;
  const row = {
    deviceId: lock.deviceId,
    lockRequestId: lock.requestId,
    reportedAt: now,
    requestId,
    saidSealed,
    source: source.slice(0, SOURCE_LENGTH),
  };
  const about = { ...bagOfLock, airline: travelPlans.airline, deviceId: lock.deviceId };
  const { guess } = await inBatch(db, {
    guess: countGuess(ctx, budgetsOf(ctx, uniqueDeviceId)),
    report: insertFrom(db, foundReports, row, sql`from ${lock} where ${isTraced}`),
    audit: audited(ctx, { event: "found_reported", ...about }, sql`from ${locksWithBag} where ${isTraced}`),
    mark: db.update(lock).set({ foundAt: now }).where(isTraced),
  });
  requireWithin(ctx, guess, "too_many_requests");
  ctx.afterwards.push(() => pushNews(ctx, uniqueDeviceId, row.source));
  return { received: true };
}

/** Enough to distinguish the networks of one tag's finders. */
const SOURCE_LENGTH = 10;

const DAY = 24 * HOUR;
const counterOf = (device: string) => `found:tag:${device}`;

/** The networks' counters are off in development, as all counters of networks are. */
function budgetsOf(ctx: RequestContext, uniqueDeviceId: string): readonly Budget[] {
  const { settings, network, carrier } = ctx;
  const { limits } = settings;
  const device = deviceKey(uniqueDeviceId);
  const ofTag = { key: counterOf(device), cap: limits.foundReportsPerTag, windowSeconds: DAY };
  if (settings.environment === "development") return [ofTag];
  // A tag stored by its MAC or GUID alone is not traced (traceable.ts).
  const of = isHardwareKey(device) ? "" : device;
  const perHour = { cap: limits.foundReportsPerNetworkPerHour, windowSeconds: HOUR };
  // Apart, so that made-up ids silence no finder of the network.
  const ofNetworks: readonly Budget[] = [
    { ...perHour, key: `found:${network}`, exempt: { where: "isUntraced", of } },
    { ...perHour, key: `found-none:${network}`, exempt: { where: "isTraced", of } },
    { key: `found:${network}:${device}`, cap: limits.foundReportsPerNetworkAndTag, windowSeconds: DAY },
    // A hosting range of IPv6 has thousands of networks.
    ...(carrier === undefined
      ? []
      : [
          { key: `found:${carrier}:${device}`, cap: limits.foundReportsPerCarrierAndTag, windowSeconds: DAY },
        ]),
  ];
  return [ofTag, ...ofNetworks];
}

/** Whether this request has raised its counters, all of which are raised together. */
const wasCounted = ({ requestId }: RequestContext, device: string): SQL =>
  sql`exists (select 1 from ${guessCounters}
    where ${guessCounters.key} = ${counterOf(device)} and ${guessCounters.requestId} = ${requestId})`;
