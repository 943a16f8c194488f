import { inArray } from "drizzle-orm";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { HealthResponse } from "../../core/api/index.ts";
import journal from "../../db/migrations/meta/_journal.json" with { type: "json" };
import type { RequestContext } from "../context.ts";
import { inList } from "../database/statements.ts";
import { ApiError } from "../errors.ts";

/** Where wrangler, `npm start` and the tests note which files of db/migrations they have applied. */
const ledger = sqliteTable("d1_migrations", { name: text().primaryKey() });

const NEEDED = journal.entries.map(({ tag }) => `${tag}.sql`);

/**
 * Whether the service can answer: one read, of the migrations that this build needs. A build that runs before
 * them would fail at its first statement. Throws `service_unavailable`.
 */
export async function health({ db }: RequestContext): Promise<HealthResponse> {
  const applied = await db.$count(ledger, inArray(ledger.name, inList(NEEDED))).catch((cause: unknown) => {
    throw new ApiError("service_unavailable", { reason: "no list of migrations", cause });
  });
  if (applied < NEEDED.length) throw new ApiError("service_unavailable", { reason: "migrations missing" });
  return { status: "ok" };
}
