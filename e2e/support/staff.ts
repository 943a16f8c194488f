/** A member of staff of the demo kiosks, who must say who they are: an operator's work on a running service. */
import { eq } from "drizzle-orm";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { type ClientFlags, clients, staffMembers } from "../../db/schema.ts";
import { type OpenDatabase, openDatabase } from "../../scripts/ops/database.ts";
import { readSecrets, secretNamed } from "../../scripts/ops/files.ts";
import { hashPassword } from "../../worker/secrets/credentials.ts";

/** A PIN so long that nothing else holds it by chance: tests look for it in all that the page keeps. */
export const GRACE = { id: "1001", pin: "24687531" } as const;
const KIOSK = "client-kiosk";

/** From now on the kiosks of the service with this state want to know who stands there. */
export async function demandStaffPin(stateDir: string): Promise<void> {
  const pepper = fromBase64Url(secretNamed(readSecrets(".dev.vars"), "PEPPER"));
  const pinHash = await hashPassword(pepper, GRACE.pin, crypto.getRandomValues(new Uint8Array(16)));
  await inDatabase(stateDir, async (db) => {
    await db
      .insert(staffMembers)
      .values({ clientId: KIOSK, staffId: GRACE.id, pinHash })
      .onConflictDoNothing();
    await flag(db, { requireStaffPin: true });
  });
}

export const demandNoPin = (stateDir: string): Promise<void> => inDatabase(stateDir, (db) => flag(db, {}));

async function flag(db: OpenDatabase["db"], flags: ClientFlags): Promise<void> {
  await db.update(clients).set({ flags }).where(eq(clients.id, KIOSK));
}

/** The service has the database, too: while it writes, SQLite lets no other. */
async function inDatabase(
  stateDir: string,
  work: (db: OpenDatabase["db"]) => Promise<void>,
  tries = 5,
): Promise<void> {
  const { db, close } = await openDatabase({ kind: "local", stateDir });
  try {
    return await work(db);
  } catch (error) {
    if (tries === 1 || !/SQLITE_BUSY|locked/.test(String((error as Error).cause ?? error))) throw error;
  } finally {
    await close();
  }
  return inDatabase(stateDir, work, tries - 1);
}
