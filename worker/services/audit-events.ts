import { type SQL, sql } from "drizzle-orm";
import type { AuditEvent, AuditEventsRequest, AuditEventsResponse } from "../../core/api/index.ts";
import { auditLog, devices } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import { knownDeviceId } from "./known-device.ts";

/**
 * What happened at the caller's airlines, newest first (decisions §5). The log is read along one index, `auditRowsPerPage`
 * rows at a time, from where the cursor points; filters on what was read come after, so that a rare event costs no more
 * than a common one.
 */

/** Throws `invalid_request` for an instant that is on no calendar. */
export async function listAuditEvents(
  ctx: BearerContext,
  request: AuditEventsRequest,
): Promise<AuditEventsResponse> {
  const { airlines } = ctx.principal;
  if (airlines.length === 0) return { events: [] };
  const rows = await ctx.db.all<AuditLine>(pageOf(ctx, airlines, request));
  const isFull = rows.length === ctx.settings.limits.auditRowsPerPage;
  const last = rows.at(-1);
  return {
    events: rows.filter(({ event }) => event === (request.event ?? event)).map(eventOf),
    ...(isFull && last ? { nextCursor: `${last.at.toString(36)}.${last.id.toString(36)}` } : {}),
  };
}

interface AuditLine {
  readonly id: number;
  readonly at: number;
  readonly event: string;
  readonly requestId: string;
  readonly airline: string;
  readonly device: string | null;
  readonly sub: string | null;
  readonly clientId: string | null;
  readonly reason: string | null;
}

/** Each airline's part is found by (airline, at), a tag's by (device_id, at); the best of the parts make the page. */
function pageOf(ctx: BearerContext, airlines: readonly string[], request: AuditEventsRequest): SQL {
  const limit = ctx.settings.limits.auditRowsPerPage;
  const within = sql`${auditLog.at} >= ${instantOf(request.from, "from") ?? 0}
    and ${auditLog.at} < ${instantOf(request.to, "to") ?? Number.MAX_SAFE_INTEGER} and ${after(request.cursor)}`;
  const newest = (where: SQL) => sql`select * from (select * from ${auditLog} where ${where} and ${within}
    order by ${auditLog.at} desc, ${auditLog.id} desc limit ${limit})`;
  const device = request.uniqueDeviceId;
  const own = sql.join(
    airlines.map((airline) => sql`${airline}`),
    sql`, `,
  );
  const parts =
    device === undefined
      ? airlines.map((airline) => newest(sql`${auditLog.airline} = ${airline}`))
      : [newest(sql`${auditLog.deviceId} = ${knownDeviceId(device)} and ${auditLog.airline} in (${own})`)];
  return sql`select line.id, line.at, line.event, line.request_id as "requestId", line.airline,
      coalesce(${devices.label}, line.device_id) as device, line.sub, line.client_id as "clientId", line.reason
    from (${sql.join(parts, sql` union all `)}) as line
    left join ${devices} on ${devices.id} = line.device_id
    order by line.at desc, line.id desc limit ${limit}`;
}

/** Below the last row of the page before. */
function after(cursor: string | undefined): SQL {
  if (cursor === undefined) return sql`true`;
  const [at, id] = cursor.split(".").map((part) => Number.parseInt(part, 36));
  return sql`(${auditLog.at}, ${auditLog.id}) < (${at}, ${id})`;
}

function instantOf(text: string | undefined, field: string): number | undefined {
  if (text === undefined) return undefined;
  const instant = Date.parse(text);
  if (!Number.isNaN(instant)) return instant;
  throw new ApiError("invalid_request", { errors: [`${field} must be an instant`] });
}

function eventOf({ at, event, requestId, airline, device, sub, clientId, reason }: AuditLine): AuditEvent {
  return {
    at: new Date(at).toISOString(),
    event,
    requestId,
    airline,
    ...(device === null ? {} : { uniqueDeviceId: device }),
    ...(sub === null ? {} : { subject: sub }),
    ...(clientId === null ? {} : { clientId }),
    ...(reason === null ? {} : { reason }),
  };
}
