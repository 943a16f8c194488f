import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type {
  LocationLinkRequest,
  LocationLinkResponse,
  TracedBag,
  TracedBagsRequest,
  TracedBagsResponse,
} from "../../core/api/index.ts";
import { toHex, utf8 } from "../../core/encoding/bytes.ts";
import {
  bags,
  devices,
  deviceTicketLocks,
  flights,
  foundReports,
  hasNews,
  labelOf,
  locationLinks,
  newsAt,
  travelPlans,
} from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { type AnswersOf, inBatch } from "../database/batch.ts";
import { deviceKey } from "../devices/identity.ts";
import { ApiError } from "../errors.ts";
import { open, placeOfLink } from "../secrets/sealed.ts";
import { instantText, openReport } from "./trace.ts";
import { auditLock, isLiveEntitled, isOfAirlines, isTraceable, ofLock } from "./traceable.ts";

/** Lost and found bags as ground staff see them (rules §5, "Found"): those of their airlines, with every report. */

/** Rows of one answer. */
const PAGE = 100;

export async function listTraced(
  ctx: BearerContext,
  { uniqueDeviceId, cursor }: TracedBagsRequest,
): Promise<TracedBagsResponse> {
  const isOfOne = uniqueDeviceId !== undefined;
  const { rows, reports } = await inBatch(ctx.db, {
    rows: readBags(ctx, isOfOne ? isTraceable(ctx, uniqueDeviceId) : isNewest(ctx, cursor)),
    reports: isOfOne ? readReports(ctx, uniqueDeviceId, cursor) : undefined,
  });
  const views = rows.map(viewOf);
  if (reports === undefined) return { bags: views, ...next(rows, ({ news, deviceId }) => [news, deviceId]) };
  const opened = await Promise.all(
    reports.map(async (row) => ({ ...(await openReport(ctx, row)), source: row.source })),
  );
  return {
    bags: views.map((view) => ({ ...view, reports: opened })),
    ...next(reports, ({ reportedAt, requestId }) => [reportedAt, requestId]),
  };
}

const lock = deviceTicketLocks;

/** A lost or found bag of the caller's airlines. */
const isListed = (ctx: BearerContext) =>
  and(hasNews(lock), isLiveEntitled(ctx), isOfAirlines(ctx.principal.airlines));

/**
 * A page of each airline's newest after `cursor`, found by `locks_by_news`: lost bags of other airlines are not read. An
 * empty airline counts as one, for locks from before that column.
 */
function isNewest(ctx: BearerContext, cursor: string | undefined): SQL {
  const { airlines } = ctx.principal;
  const which = and(isListed(ctx), isBefore(newsAt(lock), lock.deviceId, cursor));
  return sql`${lock.deviceId} in (select newest.value from json_each(${JSON.stringify([...airlines, ""])}) as own,
    json_each((select json_group_array(device_id) from (select ${lock.deviceId} as device_id from ${lock}
      where ${lock.airline} = own.value and ${which}
      order by ${newsAt(lock)} desc, ${lock.deviceId} desc limit ${PAGE}))) as newest)`;
}

/** Their own airlines' alone; the airline is asked for in the query. */
const readBags = (ctx: BearerContext, which: SQL) =>
  ctx.db
    .select({
      deviceId: lock.deviceId,
      label: sql<string>`${labelOf(devices)}`.as("shown_label"),
      journeyId: lock.journeyId,
      baggageId: lock.baggageId,
      licencePlate: bags.licencePlate,
      flight: sql<string | null>`(select ${flights.carrier} || ' ' || ${flights.number} from ${flights}
        where ${flights.journeyId} = ${lock.journeyId} order by ${flights.position} desc limit 1)`.as(
        "flight",
      ),
      lostAt: lock.lostAt,
      foundAt: lock.foundAt,
      news: newsAt(lock).as("news_at"),
      reportCount: sql<number>`(select count(*) from ${foundReports} where ${ofLock(foundReports)})`.as(
        "report_count",
      ),
      linkAddedAt: locationLinks.addedAt,
    })
    .from(lock)
    .innerJoin(devices, eq(devices.id, lock.deviceId))
    .leftJoin(bags, eq(bags.id, lock.baggageId))
    .leftJoin(locationLinks, ofLock(locationLinks))
    .where(and(isListed(ctx), which))
    .orderBy(desc(newsAt(lock)), desc(lock.deviceId))
    .limit(PAGE);

const readReports = (ctx: BearerContext, uniqueDeviceId: string, cursor: string | undefined) =>
  ctx.db
    .select({
      deviceId: foundReports.deviceId,
      requestId: foundReports.requestId,
      reportedAt: foundReports.reportedAt,
      saidSealed: foundReports.saidSealed,
      source: foundReports.source,
    })
    .from(foundReports)
    .innerJoin(lock, ofLock(foundReports))
    .where(
      and(
        isTraceable(ctx, uniqueDeviceId),
        isOfAirlines(ctx.principal.airlines),
        isBefore(sql`${foundReports.reportedAt}`, foundReports.requestId, cursor),
      ),
    )
    .orderBy(desc(foundReports.reportedAt), desc(foundReports.requestId))
    .limit(PAGE);

/** After `cursor`, newest first: its time, a dot, and in hex the id that distinguishes rows of one time. */
function isBefore(time: SQL, id: typeof lock.deviceId | typeof foundReports.requestId, cursor = ""): SQL {
  const [first = "", last = ""] = cursor.split(".");
  const at = cursor === "" ? Number.MAX_SAFE_INTEGER : Number.parseInt(first, 36);
  return sql`(${time} <= ${at} and (${time} < ${at} or hex(${id}) < ${last.toUpperCase()}))`;
}

function next<Row>(rows: readonly Row[], place: (row: Row) => readonly [at: number, id: string]) {
  const last = rows.length < PAGE ? undefined : rows.at(-1);
  if (last === undefined) return {};
  const [at, id] = place(last);
  return { nextCursor: `${at.toString(36)}.${toHex(utf8(id))}` };
}

function viewOf(row: AnswersOf<ReturnType<typeof readBags>>[number]): TracedBag {
  const { label, journeyId, baggageId, licencePlate, flight, lostAt, foundAt, reportCount, linkAddedAt } =
    row;
  return {
    uniqueDeviceId: label,
    journeyId,
    baggageId,
    reportCount,
    hasLocationLink: linkAddedAt !== null,
    ...(licencePlate === null ? {} : { licencePlate }),
    ...(flight === null ? {} : { flight }),
    ...(lostAt === null ? {} : { lostSince: instantText(lostAt) }),
    ...(foundAt === null ? {} : { foundAt: instantText(foundAt) }),
  };
}

/** One answer, whether the tag, its lock or its link is not there, or is another airline's. Throws `device_not_found`. */
export async function openLocation(
  ctx: BearerContext,
  { uniqueDeviceId }: LocationLinkRequest,
): Promise<LocationLinkResponse> {
  const { db, now, principal, settings } = ctx;
  const which = and(isTraceable(ctx, uniqueDeviceId), isOfAirlines(principal.airlines)) as SQL;
  const links = sql`(select ${locationLinks.deviceId} from ${locationLinks}
    inner join ${lock} on ${ofLock(locationLinks)} where ${which})`;
  const airline = sql`(select ${travelPlans.airline} from ${travelPlans} inner join ${lock}
    on ${lock.planId} = ${travelPlans.id} where ${lock.deviceId} = ${locationLinks.deviceId})`;
  const {
    opened: [opened],
  } = await inBatch(db, {
    audit: auditLock(ctx, "location_opened", sql`${lock.deviceId} in ${links}`),
    opened: db
      .update(locationLinks)
      .set({ openedBy: airline, openedAt: now })
      .where(sql`${locationLinks.deviceId} in ${links}`)
      .returning({ linkSealed: locationLinks.linkSealed }),
  });
  if (opened === undefined) throw new ApiError("device_not_found");
  const place = placeOfLink(deviceKey(uniqueDeviceId));
  return { uniqueDeviceId, locationLink: await open(settings.dataKey, place, opened.linkSealed) };
}
