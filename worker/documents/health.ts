import { sql } from "drizzle-orm";
import type { HealthResponse } from "../../core/api/index.ts";
import type { RequestContext } from "../context.ts";

/** Whether the service can answer: one read that touches no table. Throws what the database throws. */
export async function health({ db }: RequestContext): Promise<HealthResponse> {
  await db.run(sql`select 1`);
  return { status: "ok" };
}
