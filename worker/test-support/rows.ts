import { desc, eq, sql } from "drizzle-orm";
import { attestationCredentials, auditLog, sessions } from "../../db/schema.ts";
import type { TestService } from "./service.ts";

/** What the service wrote last. */

export async function lastSession({ db }: TestService) {
  const [row] = await db.select().from(sessions).orderBy(desc(sql`rowid`)).limit(1);
  if (row === undefined) throw new Error("no session yet");
  return row;
}

/** The row of the last request, which may have been there before: refusals share rows. */
export async function lastAudit({ db, log }: TestService) {
  const isOfLast = sql`${auditLog.requestId} = ${log.at(-1)?.requestId ?? ""}`;
  const [row] = await db.select().from(auditLog).orderBy(desc(isOfLast), desc(auditLog.id)).limit(1);
  if (row === undefined) throw new Error("nothing audited yet");
  return row;
}

/** Every client's credential of this id (base64url). */
export function credentialsNamed({ db }: TestService, id: string) {
  return db.select().from(attestationCredentials).where(eq(attestationCredentials.id, id));
}
