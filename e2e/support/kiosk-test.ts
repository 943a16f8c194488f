import { expect } from "@playwright/test";
import { eq } from "drizzle-orm";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { type ClientFlags, clients, staffMembers } from "../../db/schema.ts";
import type { EmulatedTags } from "../../scripts/drivers/cdp-tag.ts";
import { JUERGEN } from "../../scripts/drivers/passenger.ts";
import { type OpenDatabase, openDatabase } from "../../scripts/ops/database.ts";
import { readSecrets, secretNamed } from "../../scripts/ops/files.ts";
import type { TagSimulator } from "../../sim/tag/tag-simulator.ts";
import { hashPassword } from "../../worker/secrets/credentials.ts";
import { Kiosk } from "./kiosk.ts";
import { test as base } from "./test.ts";

/** A member of staff of the demo kiosks, who must say who they are: an operator's work on a running service. */

/** A PIN so long that nothing else holds it by chance: tests look for it in all that the page keeps. */
export const GRACE = { id: "1001", pin: "24687531" } as const;
const KIOSK = "client-kiosk";

/** From now on the kiosks of the service with this state want to know who stands there. */
async function demandStaffPin(stateDir: string): Promise<void> {
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

const demandNoPin = (stateDir: string): Promise<void> => inDatabase(stateDir, (db) => flag(db, {}));

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

/** Stories at a kiosk that is set up, with a shift begun. */

interface KioskFixtures {
  kiosk: Kiosk;
  /** Puts tags within reach of the kiosk; the first is the one chosen. */
  reach: (...tags: readonly TagSimulator[]) => Promise<EmulatedTags>;
  /** A blank v2.1 tag within reach of the kiosk. */
  tag: TagSimulator;
  /** The tag chosen for Ada's bag is locked by a stranger: the kiosk asks for the proof. */
  lockedTag: TagSimulator;
  /** The service wants to know who stands at a kiosk; it is Grace. */
  staffed: undefined;
}

export const test = base.extend<KioskFixtures>({
  viewport: { width: 1280, height: 800 },
  kiosk: async ({ page, service }, use) => {
    const kiosk = new Kiosk(page);
    await kiosk.setsUp(service);
    await use(kiosk);
  },
  reach: async ({ kiosk, open }, use) => {
    await use(async (...tags) => {
      const emulated = await open(tags, "/kiosk");
      await kiosk.isAttracting();
      return emulated;
    });
  },
  tag: async ({ makeTag, reach }, use) => {
    const tag = await makeTag("2.1");
    await reach(tag);
    await use(tag);
  },
  staffed: async ({ server }, use) => {
    await demandStaffPin(server.stateDir);
    await use(undefined);
    await demandNoPin(server.stateDir);
  },
  lockedTag: async ({ kiosk, makeTag, reach, stranger }, use) => {
    const tag = await makeTag("2.1", { signs: false });
    await stranger.attach(tag.id, JUERGEN.baggageId);
    await reach(tag);
    await kiosk.takesAdasBag();
    await expect(kiosk.dialog).toBeVisible();
    await use(tag);
  },
});

export { expect };
