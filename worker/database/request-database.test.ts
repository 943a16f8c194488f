import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { HEADER } from "../../core/api/index.ts";
import { usedOnce } from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import { guestSession, type TestSession } from "../test-support/logins.ts";
import { startService, type TestService } from "../test-support/service.ts";
import { openDatabase, since } from "./statements.ts";

const DEVICE = { uniqueDeviceId: "ebt-21-0001" };

describe("where reads begin", () => {
  it.each([
    ["at the bookmark a look-up brings", "00000085-0000024c-0000", true, "00000085-0000024c-0000"],
    ["at the primary without one", null, true, "first-primary"],
    ["at the primary when it cannot be one", "first unconstrained", true, "first-primary"],
    ["at the primary when it is longer than any", "0".repeat(129), true, "first-primary"],
    ["at the primary for every other endpoint", "00000085-0000024c-0000", false, "first-primary"],
  ])("is %s", (_, sent, mayBeCopy, expected) => {
    expect(since(sent, mayBeCopy)).toBe(expected);
  });
});

describe("the database of a request", () => {
  it("knows no bookmark before the first query and one after it", async () => {
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
  beforeEach(async () => {
    starts = [];
    const database = (binding: D1Database) => watched(binding, starts);
    service = await startService({}, undefined, { database });
    guest = await guestSession(service);
    starts.length = 0;
  });

  it("names the bookmark it saw", async () => {
    const { headers } = await guest.call("ebtLookup", DEVICE);
    expect(headers.get(HEADER.bookmark)).toMatch(/^[0-9A-Za-z-]+$/);
  });

  it("lets a look-up that brings it be answered by any copy as far", async () => {
    const bookmark = (await guest.call("ebtLookup", DEVICE)).headers.get(HEADER.bookmark) ?? "";
    starts.length = 0;
    const { status } = await guest.call("ebtLookup", DEVICE, { [HEADER.bookmark]: bookmark });
    expect({ status, starts: new Set(starts) }).toEqual({ status: 200, starts: new Set([bookmark]) });
  });

  it("asks the primary for a look-up without one", async () => {
    await guest.call("ebtLookup", DEVICE);
    expect(new Set(starts)).toEqual(new Set(["first-primary"]));
  });

  it("asks the primary for everything that decides, whatever is sent", async () => {
    await guest.call("ebtAuthorization", { ...DEVICE, nonce: "n" }, { [HEADER.bookmark]: "0001" });
    expect(new Set(starts)).toEqual(new Set(["first-primary"]));
  });

  it("names none to who is not known, how busy the database is being nobody else's concern", async () => {
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

/** `binding`, with where each of its sessions begins written down. */
function watched(binding: D1Database, starts: string[]): D1Database {
  const withSession = (from?: string) => {
    starts.push(from ?? "");
    return binding.withSession(from);
  };
  return { withSession } as unknown as D1Database;
}
