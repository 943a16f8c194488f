import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { HEADER } from "../../core/api/index.ts";
import { usedOnce } from "../../db/schema.ts";
import { type DataKey, importDataKey } from "../secrets/sealed.ts";
import { guestSession, type TestSession } from "../test-support/logins.ts";
import { startService, type TestService } from "../test-support/service.ts";
import { openDatabase, sealsBookmarks, startAt } from "./connect.ts";

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

const NOW = 1_790_000_000_000;
const [FIRST, SECOND, THIRD] = ["00000085-0000024c", "00000085-0000024d", "00000086-00000001"];

const keyOf = (byte: number) => importDataKey(new Uint8Array(32).fill(byte));

let key: DataKey;
beforeAll(async () => {
  key = await keyOf(1);
});

describe("a sealed bookmark", () => {
  it("opens to itself, and twice sealed is never the same", async () => {
    const seal = sealsBookmarks();
    const [one, other] = [
      await seal(key, { seen: FIRST, now: NOW }),
      await seal(key, { seen: FIRST, now: NOW }),
    ];
    expect(one).toMatch(/^1790000000000-[0-9a-v]+$/);
    expect(other.split("-")[1]).not.toBe(one.split("-")[1]);
    expect(await startAt(key, one)).toEqual({ since: FIRST, fromCaller: { at: NOW, bookmark: FIRST } });
  });

  it("hides in its time whether anything was written", async () => {
    const timesOf = async (...seen: readonly string[]) => {
      const seal = sealsBookmarks();
      const texts = [];
      for (const bookmark of seen) texts.push(await seal(key, { seen: bookmark, now: NOW }));
      return texts.map((text) => text.slice(0, 13));
    };
    expect(await timesOf(FIRST, FIRST, FIRST)).toEqual(await timesOf(FIRST, SECOND, THIRD));
  });

  it("is greater as text than an unsealed one that an SDK has", async () => {
    expect((await sealsBookmarks()(key, { seen: FIRST, now: NOW })) > THIRD).toBe(true);
  });

  it.each([
    ["another key's", async () => sealsBookmarks()(await keyOf(2), { seen: FIRST, now: NOW })],
    [
      "one under another time",
      async () => (await sealsBookmarks()(key, { seen: FIRST, now: NOW })).replace(/^1/, "2"),
    ],
    ["one that is cut", async () => (await sealsBookmarks()(key, { seen: FIRST, now: NOW })).slice(0, -8)],
    ["a space", async () => "first unconstrained"],
    ["a text longer than any", async () => "0".repeat(129)],
    ["no text", async () => ""],
  ])("begins at the primary where it is %s", async (_, made) => {
    expect(await startAt(key, await made())).toEqual({ since: "first-primary" });
  });
});

describe("the order of texts is that of the bookmarks", () => {
  it("independent of the clock", async () => {
    const seal = sealsBookmarks();
    const texts = [
      await seal(key, { seen: FIRST, now: NOW }),
      await seal(key, { seen: SECOND, now: NOW }),
      await seal(key, { seen: THIRD, now: NOW - 5_000 }),
    ];
    expect(texts.toSorted()).toEqual(texts);
  });

  it("for an answer that was overtaken, and for a copy that is behind", async () => {
    const seal = sealsBookmarks();
    const newest = await seal(key, { seen: THIRD, now: NOW });
    const overtaken = await seal(key, { seen: FIRST, now: NOW + 5_000 });
    expect(overtaken < newest).toBe(true);
  });

  it("for a caller whose bookmark comes from an isolate whose clock is ahead", async () => {
    const fromCaller = { at: NOW + 5_000, bookmark: FIRST };
    const text = await sealsBookmarks()(key, { seen: SECOND, now: NOW, fromCaller });
    expect(text.slice(0, 13)).toBe(String(NOW + 5_001));
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
