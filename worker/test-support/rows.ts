import { desc, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable, SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { decodeJwt } from "jose";
import {
  attestationCredentials,
  auditLog,
  type ClientFlags,
  certificates,
  clients,
  type deviceTicketLocks,
  revokedKeys,
  sessions,
  staffMembers,
} from "../../db/schema.ts";
import type { Db } from "../database/connect.ts";
import { hashPassword } from "../secrets/credentials.ts";
import { CHEAP } from "./development-rows.ts";
import type { TestService } from "./service.ts";

/** Rows that tests read and write themselves. */

/** Changes the row of that id; a statement that may be one of a batch. */
export const changeRow = <Table extends SQLiteTable & { readonly id: SQLiteColumn }>(
  db: Db,
  table: Table,
  id: string | number,
  change: SQLiteUpdateSetSource<Table>,
) => db.update(table).set(change).where(eq(table.id, id));

/** Rows of the audit log: attachments of a tag of SK, unless `row` says otherwise. */
export async function appendAudit(
  db: Db,
  count: number,
  row: (index: number) => Partial<typeof auditLog.$inferInsert>,
): Promise<void> {
  const common = { at: 0, event: "attached", requestId: "r", airline: "SK", deviceId: "ebt-21-0001" };
  const [first, ...others] = Array.from({ length: count }, (_, i) =>
    db.insert(auditLog).values({ ...common, ...row(i) }),
  );
  if (first !== undefined) await db.batch([first, ...others]);
}

/** An entitled lock of another caller, who has no session, on bag 1. */
export const lockRow = (
  deviceId: string,
  endsAt: number,
  more: Partial<typeof deviceTicketLocks.$inferInsert> = {},
) => ({
  ...{ deviceId, planId: "demo-plan-1", journeyId: "demo-journey-1", baggageId: 1, entitled: true },
  ...{ holderSub: "another", writerSub: "another", lockedAt: endsAt - 3_600_000, endsAt },
  ...{ requestId: `lock of ${deviceId}`, ...more },
});

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

/** A member of staff of the demo kiosks, and what they type. */
export const MEMBER = { id: "1001", pin: "24681357" } as const;

/** Gives `clientId` a member of staff. */
export async function addStaff(
  { db, settings }: TestService,
  { id, pin }: { readonly id: string; readonly pin: string } = MEMBER,
  { clientId = "client-kiosk", enabled = true } = {},
): Promise<void> {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const row = { pinHash: await hashPassword(settings.pepper, pin, salt, CHEAP), enabled };
  await db
    .insert(staffMembers)
    .values({ clientId, staffId: id, ...row })
    .onConflictDoUpdate({ target: [staffMembers.clientId, staffMembers.staffId], set: row });
}

/** Sets the flags of the demo kiosks; a new start of the service takes them away. */
export const flagKiosks = ({ db }: TestService, flags: ClientFlags) =>
  changeRow(db, clients, "client-kiosk", { flags });
