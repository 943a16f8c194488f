import { eq, type SQL, sql } from "drizzle-orm";
import { AUDITED_REFUSALS, type ErrorCode } from "../../core/api/index.ts";
import { auditLog } from "../../db/schema.ts";
import { isWithinAuditRate } from "../auth/rate-limits.ts";
import type { Client, RequestContext } from "../context.ts";
import { inBatch } from "../database/batch.ts";
import type { ApiError } from "../errors.ts";
import { sha256Text } from "../secrets/sealed.ts";
import { audited } from "./log.ts";

type Audited = (typeof AUDITED_REFUSALS)[number];
const isAudited = (code: ErrorCode): code is Audited =>
  (AUDITED_REFUSALS as readonly ErrorCode[]).includes(code);

/** The airline that a client works for, if it is only one. */
export const soleAirline = (client: Client | undefined): string | null =>
  client?.airlines.length === 1 ? (client.airlines[0] ?? null) : null;

const MINUTE = 60_000;
/** By then every request of a minute has been answered, and its rows change no more. */
const SETTLED = 2 * MINUTE;

/** Rows of refusals that may still count others: they are sealed later. */
export const isOpen = (now: number): SQL =>
  sql`${auditLog.mergeKey} is not null and ${auditLog.at} > ${now - SETTLED}`;

/**
 * Records why a login, refresh or proof was refused; ignores other errors. Refusals of one cause share a row
 * per minute, and per client or, where none was named, per network. Where the client works for one airline,
 * that airline may read the row. Beyond the rate of its network, a refusal appears in the log line alone.
 */
export async function auditRefusal(
  ctx: RequestContext,
  { code, detail }: ApiError,
  client: Client | undefined,
): Promise<void> {
  if (!isAudited(code) || detail.isAudited || !(await isWithinAuditRate(ctx))) return;
  const { reason = null } = detail;
  const origin = client === undefined ? ["network", ctx.network] : ["client", client.id];
  const mergeKey = await sha256Text(JSON.stringify([Math.floor(ctx.now / MINUTE), code, reason, ...origin]));
  const entry = { event: code, clientId: client?.id ?? null, airline: soleAirline(client), reason };
  const isSame = eq(auditLog.mergeKey, mergeKey);
  // In this order a refusal that shares a row writes that row alone; an upsert writes the table's sequence as well.
  await inBatch(ctx.db, {
    more: ctx.db
      .update(auditLog)
      .set({ count: sql`${auditLog.count} + 1`, requestId: ctx.requestId })
      .where(isSame),
    first: audited(
      ctx,
      { ...entry, count: 1, mergeKey },
      sql`where not exists (select 1 from ${auditLog} where ${isSame})`,
    ),
  });
}
