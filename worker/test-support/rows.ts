import { desc, eq, type SQL, sql } from "drizzle-orm";
import { decodeJwt } from "jose";
import { attestationCredentials, auditLog, certificates, revokedKeys, sessions } from "../../db/schema.ts";
import type { TestService } from "./service.ts";

/** What the service wrote last. */

export async function lastSession({ db, lastAccessToken }: TestService) {
  const [id = ""] = String(decodeJwt(lastAccessToken()).jti).split(/[.~]/);
  const [row] = await db.select().from(sessions).where(eq(sessions.id, id));
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

/** What `ops key revoke` does, for the keys of the certificates that `which` selects. */
export const revokeKeys = ({ db, now }: Pick<TestService, "db" | "now">, which: SQL = sql`true`) =>
  db
    .insert(revokedKeys)
    .select(sql`select distinct ${certificates.spkiHash}, ${now()} from ${certificates} where ${which}`)
    .onConflictDoNothing();

/** Every client's credential of this id (base64url). */
export function credentialsNamed({ db }: TestService, id: string) {
  return db.select().from(attestationCredentials).where(eq(attestationCredentials.id, id));
}
