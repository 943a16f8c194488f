import { and, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { AuditEvent, AuditEventsRequest, AuditEventsResponse } from "../../core/api/index.ts";
import { auditLog, devices } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { inBatch, inList } from "../database/batch.ts";
import { knownDeviceId } from "../devices/identity.ts";
import { defined } from "../journeys/view.ts";
import { type Place, shownDevice } from "./event-feed.ts";
import { openCursor, sealCursor } from "./feed.ts";

/**
 * What happened at the caller's airlines, newest first (rules §5). The log is read along one index,
 * `auditRowsPerPage` rows at a time, from where the cursor points. Filters apply to the rows that were read,
 * so that a rare event costs no more than a common one.
 */

/** Throws `invalid_request` for a cursor that the service did not issue. */
export async function listAuditEvents(
  ctx: BearerContext,
  request: AuditEventsRequest,
): Promise<AuditEventsResponse> {
  const limit = ctx.settings.limits.auditRowsPerPage;
  const { cursor } = request;
  const before = cursor === undefined ? undefined : await openCursor(ctx, "audit-events", cursor);
  const { pages } = await inBatch(ctx.db, { pages: readPages(ctx, request, before) });
  const rows = pages
    .flat()
    .toSorted((a, b) => b.at - a.at || b.id - a.id)
    .slice(0, limit);
  const last = rows.at(-1);
  return {
    events: rows.filter(({ event }) => event === (request.event ?? event)).map(eventOf),
    ...(rows.length === limit && last ? { nextCursor: await sealCursor(ctx, "audit-events", last) } : {}),
  };
}

/**
 * Each airline's part is found by (airline, at), a tag's by (device_id, at); the newest rows of all parts
 * make the page. Each part is a statement of its own, because D1 joins no more than five selects into one.
 */
function readPages(ctx: BearerContext, request: AuditEventsRequest, before: Place | undefined) {
  const { airlines } = ctx.principal;
  const { uniqueDeviceId } = request;
  if (uniqueDeviceId === undefined) {
    return airlines.map((airline) =>
      readPage(ctx, request, and(eq(auditLog.airline, airline), isBefore(before))),
    );
  }
  const isOwn = sql`${auditLog.deviceId} = ${knownDeviceId(uniqueDeviceId)}
    and +${auditLog.airline} in ${inList(airlines)}`;
  return [readPage(ctx, request, and(isOwn, isBefore(before)))];
}

const readPage = (
  { db, settings }: BearerContext,
  { from, to }: AuditEventsRequest,
  where: SQL | undefined,
) =>
  db
    .select({
      id: auditLog.id,
      at: auditLog.at,
      event: auditLog.event,
      requestId: auditLog.requestId,
      airline: auditLog.airline,
      device: shownDevice,
      sub: auditLog.sub,
      clientId: auditLog.clientId,
      staffId: auditLog.staffId,
      reason: auditLog.reason,
      count: auditLog.count,
      journeyId: auditLog.journeyId,
      baggageId: auditLog.baggageId,
      licencePlate: auditLog.licencePlate,
      evidence: auditLog.evidence,
    })
    .from(auditLog)
    .leftJoin(devices, eq(devices.id, auditLog.deviceId))
    .where(
      and(
        where,
        gte(auditLog.at, from === undefined ? 0 : Date.parse(from)),
        lt(auditLog.at, to === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(to)),
      ),
    )
    .orderBy(desc(auditLog.at), desc(auditLog.id))
    .limit(settings.limits.auditRowsPerPage);

type AuditLine = Awaited<ReturnType<typeof readPage>>[number];

/** Below the last row of the previous page. */
const isBefore = (place: Place | undefined): SQL | undefined =>
  place && sql`(${auditLog.at}, ${auditLog.id}) < (${place.at}, ${place.id})`;

function eventOf({ id: _, at, event, requestId, airline, device, sub, ...others }: AuditLine): AuditEvent {
  return {
    at: new Date(at).toISOString(),
    event,
    requestId,
    airline: airline ?? "",
    ...defined({ uniqueDeviceId: device, subject: sub, ...others }),
  };
}
