import { count, inArray, sql } from "drizzle-orm";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { HealthResponse } from "../../core/api/index.ts";
import journal from "../../db/migrations/meta/_journal.json" with { type: "json" };
import type { RequestContext } from "../context.ts";
import { inList } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import { latenessOf, waiting } from "../lateness.ts";

/** Where wrangler, `npm start` and the tests note which files of db/migrations they have applied. */
const ledger = sqliteTable("d1_migrations", { name: text().primaryKey() });

const NEEDED = journal.entries.map(({ tag }) => `${tag}.sql`);

/**
 * Whether the service can answer: one read, of the migrations that this build needs. A build that runs before
 * them would fail at its first statement. A service whose scheduled work is late
 * still answers, and reports it. Throws `service_unavailable`.
 */
export async function health({ db, now, settings }: RequestContext): Promise<HealthResponse> {
  const { erasure, seals } = waiting(now);
  const [row] = await db
    .select({
      applied: count(),
      erasure: sql<number | null>`${erasure}`,
      seals: sql<number | null>`${seals}`,
    })
    .from(ledger)
    .where(inArray(ledger.name, inList(NEEDED)))
    .catch((cause: unknown) => {
      throw new ApiError("service_unavailable", { reason: "no list of migrations", cause });
    });
  if (row === undefined || row.applied < NEEDED.length)
    throw new ApiError("service_unavailable", { reason: "migrations missing" });
  const { late } = latenessOf(row, now, settings);
  return late.length === 0 ? { status: "ok" } : { status: "late", late: [...late] };
}
