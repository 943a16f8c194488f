import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AuditedEvent } from "../../core/api/index.ts";
import { auditLog } from "../../db/schema.ts";
import type { BearerContext, RequestContext } from "../context.ts";
import { insertFrom } from "../database/batch.ts";
import type { Db } from "../database/connect.ts";

export type { AuditedEvent };

/** The one place that writes the audit log (rules §5): append-only, without personal data. */

type Text = string | SQLWrapper | null;

/** One row, without its time and its request. */
export interface AuditEntry {
  readonly event: AuditedEvent | SQL<AuditedEvent>;
  /** Pseudonym of the actor. */
  readonly sub?: Text;
  readonly clientId?: Text;
  /** Which member of staff stood there. */
  readonly staffId?: Text;
  /** The airline whose staff may read the row. */
  readonly airline?: Text;
  readonly deviceId?: Text;
  /** The bag that it is about. */
  readonly journeyId?: Text;
  readonly baggageId?: number | SQLWrapper | null;
  readonly licencePlate?: Text;
  /** The evidence behind its lock: a `LockEvidence`. */
  readonly evidence?: SQLWrapper | null;
  /** Which rule decided, or what staff gave as their reason. */
  readonly reason?: Text;
  /** For refusals, which share rows (refusals.ts), and for reads of a minute (staff-reads.ts). */
  readonly count?: number | SQLWrapper;
  readonly mergeKey?: string;
}

/** A request or a scheduled run. */
export interface Recorder {
  readonly db: Db;
  readonly now: number;
  readonly requestId: string;
  /** Of a request: what it writes. */
  readonly happened?: RequestContext["happened"];
}

/**
 * Writes `entry`: a statement for the batch of the change that it reports. With `from` (`from … where …`, or
 * a bare `where …`) it writes one row for each row found there, so that what changes nothing leaves no trace.
 */
export function audited(recorder: Recorder, entry: AuditEntry, from: SQL = sql``) {
  const { db, now, requestId } = recorder;
  recorder.happened?.add(entry.event);
  return insertFrom(db, auditLog, { at: now, requestId, ...entry }, from);
}

/** The caller's part of an entry. */
export const byCaller = ({ principal, client }: BearerContext) => ({
  sub: principal.sub,
  clientId: client.id,
});
