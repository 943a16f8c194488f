import { sql } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { json } from "../http/http.ts";

/** Whether the service can answer: one read that touches no table. Throws what the database throws. */
export async function health({ db }: RequestContext): Promise<Response> {
  await db.run(sql`select 1`);
  return json({ status: "ok" });
}
