import { and, eq, type SQL, sql } from "drizzle-orm";
import type { BagTrace, BagTraceChangeRequest, BagTraceRequest, FoundReport } from "../../core/api/index.ts";
import { deviceTicketLocks, foundReports, locationLinks, pushEndpoints } from "../../db/schema.ts";
import type { BearerContext, RequestContext } from "../context.ts";
import { type AnswersOf, inBatch, insertFrom } from "../database/batch.ts";
import { deviceKey } from "../devices/identity.ts";
import { ApiError } from "../errors.ts";
import { open, placeOfLink, placeOfReport, seal } from "../secrets/sealed.ts";
import { changePush, newPush } from "./found-push.ts";
import { isHolder, isTraceable, ofLock, REPORTS_PER_DAY } from "./traceable.ts";

/** The story of a bag as its holder sees and changes it (rules §5, "Found"). */

/** Throws `not_lock_holder`, whatever there is. */
export async function traceBag(ctx: BearerContext, { uniqueDeviceId }: BagTraceRequest): Promise<BagTrace> {
  const { trace } = await inBatch(ctx.db, { trace: readTrace(ctx, uniqueDeviceId) });
  return traceOf(ctx, uniqueDeviceId, trace);
}

/** Throws `invalid_request` for a link or an endpoint that leads elsewhere, and `not_lock_holder`. */
export async function changeTrace(
  ctx: BearerContext,
  { uniqueDeviceId, muted, locationLink, pushEndpoint, remindToClear }: BagTraceChangeRequest,
): Promise<BagTrace> {
  const { db, now } = ctx;
  const which = isOwnTrace(ctx, uniqueDeviceId);
  const link =
    locationLink === undefined ? undefined : await newLink(ctx, uniqueDeviceId, locationLink.trim());
  const push = pushEndpoint === undefined ? undefined : await newPush(ctx, uniqueDeviceId, pushEndpoint);
  const { trace } = await inBatch(db, {
    mute:
      muted === undefined
        ? undefined
        : db
            .update(deviceTicketLocks)
            .set({ mutedAt: muted ? now : null })
            .where(which),
    link: link && changeLink(ctx, which, link),
    push: push && changePush(ctx, which, push, remindToClear),
    trace: readTrace(ctx, uniqueDeviceId),
  });
  return traceOf(ctx, uniqueDeviceId, trace);
}

/** A link as its row holds it, or none. */
type NewLink = Pick<typeof locationLinks.$inferSelect, "linkSealed" | "host"> | "none";

async function newLink({ settings }: BearerContext, uniqueDeviceId: string, text: string): Promise<NewLink> {
  if (text === "") return "none";
  const link = sharedPlace(settings.locationLinkPlaces, text);
  if (link === undefined) {
    const places = settings.locationLinkPlaces.join(", ");
    throw new ApiError("invalid_request", {
      message: "The request is malformed: locationLink.",
      errors: [`locationLink must be an https link to a shared location at one of: ${places}`],
    });
  }
  const linkSealed = await seal(settings.dataKey, placeOfLink(deviceKey(uniqueDeviceId)), link.href);
  return { linkSealed, host: link.host };
}

/** The link in the place of another, or none. */
function changeLink({ db, now }: BearerContext, which: SQL, link: NewLink) {
  const lock = deviceTicketLocks;
  if (link === "none") {
    const own = sql`(select ${lock.deviceId} from ${lock} where ${which})`;
    return db.delete(locationLinks).where(sql`${locationLinks.deviceId} in ${own}`);
  }
  const row = { deviceId: lock.deviceId, lockRequestId: lock.requestId, ...link, addedAt: now };
  return insertFrom(db, locationLinks, row, sql`from ${lock} where ${which}`).onConflictDoUpdate({
    target: locationLinks.deviceId,
    set: {
      ...link,
      addedAt: now,
      openedBy: null,
      openedAt: null,
      lockRequestId: sql`excluded.lock_request_id`,
    },
  });
}

/**
 * `text` as a link to one of `places`, each a host or a host and the beginning of a path; undefined for any other. It must
 * begin as the browser would write it: so there is no user, no port, and no letter or stroke that only becomes one of these.
 * Below a path nothing is encoded, and no segment has a parameter or begins with two dots: a server may take `..%2f` or
 * `..;` for a way up, which no browser does.
 */
export function sharedPlace(places: readonly string[], text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !text.startsWith(`https://${url.hostname}/`)) return undefined;
  const matches = (place: string) =>
    place.includes("/")
      ? `${url.hostname}${url.pathname}`.startsWith(place) && !/[%;]|\/\.\./.test(url.pathname)
      : url.hostname === place;
  return places.some(matches) ? url : undefined;
}

/** A traceable lock of the caller's own, not a delegate's. Staff act for passengers, and have a list of their own (traced-bags.ts). */
const isOwnTrace = (ctx: BearerContext, uniqueDeviceId: string): SQL =>
  sql`(${isTraceable(ctx, uniqueDeviceId)} and ${isHolder(ctx)} and ${ctx.principal.staff ? 0 : 1})`;

function readTrace(ctx: BearerContext, uniqueDeviceId: string) {
  const { db } = ctx;
  const { lostAt, mutedAt } = deviceTicketLocks;
  const { host, addedAt, openedBy, openedAt } = locationLinks;
  const report = foundReports;
  const day = sql`${report.reportedAt} / ${sql.raw(`${DAY}`)}`;
  const inOrder = sql`order by ${report.reportedAt}, ${report.requestId}`;
  // What a holder has seen stays: the first of each network, and the first networks of a day. A later flood hides nothing.
  const reports = sql`(select shown.*, row_number() over (partition by shown.day, shown.nth order by shown.reported_at, shown.request_id) as place
    from (select ${report.deviceId} as device_id, ${report.requestId} as request_id, ${report.reportedAt} as reported_at,
        ${report.saidSealed} as said_sealed, ${day} as day,
        row_number() over (partition by ${day}, ${report.source} ${inOrder}) as nth
      from ${report} inner join ${deviceTicketLocks} on ${ofLock(report)}
      where ${isOwnTrace(ctx, uniqueDeviceId)}) as shown)`;
  return {
    locks: db
      .select({ lostAt, mutedAt, host, addedAt, openedBy, openedAt, holder: pushEndpoints.holderSub })
      .from(deviceTicketLocks)
      .leftJoin(locationLinks, ofLock(locationLinks))
      .leftJoin(pushEndpoints, and(ofLock(pushEndpoints), eq(pushEndpoints.holderSub, ctx.principal.sub)))
      .where(isOwnTrace(ctx, uniqueDeviceId)),
    reports: db
      .select({
        deviceId: sql<string>`shown.device_id`.as("shown_device"),
        requestId: sql<string>`shown.request_id`.as("shown_request"),
        reportedAt: sql<number>`shown.reported_at`.as("shown_at"),
        saidSealed: sql<string>`shown.said_sealed`.as("shown_sealed"),
      })
      .from(sql`${reports} as shown`)
      .where(sql`shown.nth = 1 and shown.place <= ${REPORTS_PER_DAY}`)
      .orderBy(sql`shown.reported_at desc, shown.request_id`),
    all: db
      .select({ count: sql<number>`count(*)`.as("reports") })
      .from(report)
      .innerJoin(deviceTicketLocks, ofLock(report))
      .where(isOwnTrace(ctx, uniqueDeviceId)),
  };
}

const DAY = 86_400_000;

async function traceOf(
  ctx: BearerContext,
  uniqueDeviceId: string,
  { locks, reports, all }: AnswersOf<ReturnType<typeof readTrace>>,
): Promise<BagTrace> {
  const [lock] = locks;
  if (lock === undefined) throw new ApiError("not_lock_holder");
  const { lostAt, mutedAt, host, addedAt, openedBy, openedAt, holder } = lock;
  return {
    uniqueDeviceId,
    ...(lostAt === null ? {} : { lostSince: instantText(lostAt) }),
    muted: mutedAt !== null,
    reports: await Promise.all(reports.map((row) => openReport(ctx, row))),
    more: (all[0]?.count ?? 0) - reports.length,
    ...(holder !== null && { pushed: true as const }),
    ...(host !== null &&
      addedAt !== null && {
        link: {
          host,
          addedAt: instantText(addedAt),
          ...(openedBy !== null && openedAt !== null && { openedBy, openedAt: instantText(openedAt) }),
        },
      }),
  };
}

export const instantText = (instant: number) => new Date(instant).toISOString();

/** A report as it was sent. */
export async function openReport(
  { settings }: RequestContext,
  row: Pick<typeof foundReports.$inferSelect, "deviceId" | "requestId" | "reportedAt" | "saidSealed">,
): Promise<FoundReport> {
  const report = await open(settings.dataKey, placeOfReport(row.deviceId, row.requestId), row.saidSealed);
  return { at: instantText(row.reportedAt), ...JSON.parse(report) };
}
