import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { HEADER } from "../../core/api/index.ts";
import { usedOnce } from "../../db/schema.ts";
import { guestSession, type TestSession } from "../test-support/logins.ts";
import { startService, type TestService } from "../test-support/service.ts";
import { openDatabase } from "./connect.ts";

const DEVICE = { uniqueDeviceId: "ebt-21-0001" };

describe("the database of a request", () => {
  it("has no bookmark before the first query and one after it", async () => {
    const { db, bookmark } = openDatabase(env.DB, "first-primary");
    expect(bookmark()).toBeUndefined();
    await db.get(sql`select 1`);
    expect(bookmark()).toMatch(/^[0-9A-Za-z-]+$/);
  });

  it("counts a batch as one call, with its statements and the rows they cost", async () => {
    const { db, calls } = openDatabase(env.DB, "first-primary");
    const hash = crypto.randomUUID();
    await db.batch([
      db.insert(usedOnce).values({ hash, endsAt: 0 }),
      db.select().from(usedOnce).where(eq(usedOnce.endsAt, 0)),
    ]);
    expect(calls).toMatchObject({ count: 1, statements: 2 });
    expect(calls.rowsWritten).toBeGreaterThan(0);
    expect(calls.rowsRead).toBeGreaterThan(0);
  });
});

describe("the service", () => {
  let service: TestService;
  let guest: TestSession;
  let starts: string[];
  let reached: string[];
  beforeEach(async () => {
    [starts, reached] = [[], []];
    const database = (binding: D1Database) => watched(binding, starts, reached);
    service = await startService({}, undefined, { database });
    guest = await guestSession(service);
    starts.length = reached.length = 0;
  });

  it("lets any replica that has reached it answer a look-up", async () => {
    const bookmark = (await guest.call("ebtLookup", DEVICE)).headers.get(HEADER.bookmark) ?? "";
    starts.length = 0;
    const { status } = await guest.call("ebtLookup", DEVICE, { [HEADER.bookmark]: bookmark });
    expect({ status, starts: new Set(starts) }).toEqual({ status: 200, starts: new Set([reached[0]]) });
  });

  it("names it sealed, because it counts the changes of others", async () => {
    const { headers } = await guest.call("ebtLookup", DEVICE);
    const bookmark = headers.get(HEADER.bookmark) ?? "";
    expect(bookmark).toMatch(/^[0-9]{13}-[0-9a-v]+$/);
    expect(bookmark).not.toContain(reached[0]);
  });

  it("takes the unsealed bookmark of a caller from the release before", async () => {
    await guest.call("ebtLookup", DEVICE);
    const [unsealed = ""] = reached;
    starts.length = 0;
    expect((await guest.call("ebtLookup", DEVICE, { [HEADER.bookmark]: unsealed })).status).toBe(200);
    expect(new Set(starts)).toEqual(new Set([unsealed]));
  });

  it("asks the primary for a look-up without one", async () => {
    await guest.call("ebtLookup", DEVICE);
    expect(new Set(starts)).toEqual(new Set(["first-primary"]));
  });

  it("asks the primary for everything that decides, whatever is sent", async () => {
    await guest.call("ebtAuthorization", { ...DEVICE, nonce: "n" }, { [HEADER.bookmark]: "0001" });
    expect(new Set(starts)).toEqual(new Set(["first-primary"]));
  });

  it("returns none to unauthenticated callers, who are not to learn how busy the database is", async () => {
    for (const answer of [await service.call("ebtLookup", DEVICE), await service.post("/v2/auth/nonces")]) {
      expect(starts).not.toEqual([]);
      expect(answer.headers.has(HEADER.bookmark)).toBe(false);
    }
  });

  it("names the bookmark of a refusal too, so that the next look-up sees its cause", async () => {
    const { status, headers } = await guest.call("ebtUnlock", { uniqueDeviceId: "" });
    expect(status).toBe(400);
    expect(headers.get(HEADER.bookmark)).toMatch(/^[0-9A-Za-z-]+$/);
  });
});

/** `binding`, with where each of its sessions begins written down, and the bookmarks that they reach. */
function watched(binding: D1Database, starts: string[], reached: string[]): D1Database {
  const withSession = (from?: string) => {
    starts.push(from ?? "");
    const session = binding.withSession(from);
    const getBookmark = () => {
      const bookmark = session.getBookmark();
      if (bookmark !== null) reached.push(bookmark);
      return bookmark;
    };
    return { batch: session.batch.bind(session), prepare: session.prepare.bind(session), getBookmark };
  };
  return { withSession } as unknown as D1Database;
}
