import { describe, expect, test } from "vitest";
import { Database } from "./database.ts";
import type { SessionRecord, StoredEntry, TaglatchStorage } from "./storage.ts";
import "./test-support/storage.ts";
import { storageOver } from "./storage-over.ts";
import { keyValueStore, memoryStorage } from "./test-support/memory-storage.ts";

const SESSION: SessionRecord = { method: "federated", accessToken: "secret", accessExpiresAt: 9 };
const newKey = () =>
  crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
const entry = (id: string, createdAt: number): StoredEntry => ({
  ...{ id, createdAt, kind: "unlock", uniqueDeviceId: "t", tries: 0 },
});

/** A storage as two users of it at one time have it, and as it is found later. */
const STORAGES: readonly [string, () => Record<"storage" | "beside" | "later", TaglatchStorage>][] = [
  [
    "IndexedDB",
    () => {
      const name = crypto.randomUUID();
      return { storage: new Database(name), beside: new Database(name), later: new Database(name) };
    },
  ],
  [
    "texts by key",
    () => {
      const texts = new Map<string, string>();
      const storage = memoryStorage(texts);
      return { storage, beside: storage, later: memoryStorage(texts) };
    },
  ],
];

describe.each(STORAGES)("%s", (_what, made) => {
  test("keeps the vault: what was written, or what was fresh, and the same for everybody", async () => {
    const { storage, beside, later } = made();
    await storage.write("tagNames", { d: "EBT-0001" });
    const both = [storage.readOrWrite("passkey", { id: "a" }), beside.readOrWrite("passkey", { id: "b" })];
    expect(await Promise.all(both)).toEqual([{ id: "a" }, { id: "a" }]);
    expect([await later.read("tagNames"), await later.read("passkey")]).toEqual([
      { d: "EBT-0001" },
      { id: "a" },
    ]);
    await later.forget("passkey");
    expect([await later.read("tagNames"), await later.read("passkey")]).toEqual([
      { d: "EBT-0001" },
      undefined,
    ]);
  });

  test("keeps the outbox by age; an entry takes the place of others, and is changed only where it is", async () => {
    const { storage, later } = made();
    await Promise.all([entry("a", 2), entry("b", 1), entry("c", 3)].map((each) => storage.putEntry(each)));
    expect((await later.entries()).map(({ id }) => id)).toEqual(["b", "a", "c"]);
    await storage.putEntry(entry("d", 4), ["a", "b"]);
    expect(await storage.updateEntry({ ...entry("c", 3), tries: 1 })).toBe(true);
    expect(await storage.entry("c")).toMatchObject({ tries: 1 });
    expect([await storage.removeEntry("c"), await storage.removeEntry("c")]).toEqual([true, false]);
    expect(await storage.updateEntry(entry("c", 3))).toBe(false);
    expect(await storage.entries()).toEqual([entry("d", 4)]);
  });
});

describe("texts by key", () => {
  test("are gone once all of them are forgotten", async () => {
    const texts = new Map<string, string>();
    const storage = memoryStorage(texts);
    await storage.write("passkey", { id: "a" });
    await storage.write("tagNames", { d: "EBT-0001" });
    await storage.forget("passkey", "tagNames", "key", "session", "certificate");
    expect([...texts]).toEqual([]);
  });

  test("of two clients with prefixes of their own stay apart", async () => {
    const texts = new Map<string, string>();
    await memoryStorage(texts, { prefix: "kiosk" }).write("passkey", { id: "a" });
    expect(await memoryStorage(texts).read("passkey")).toBeUndefined();
  });

  test("that cannot be read or written are no storage, and the next call tries again", async () => {
    let isBroken = true;
    const { get, set, remove } = keyValueStore();
    const broken = async (key: string) => (isBroken ? Promise.reject(new Error("full")) : get(key));
    const storage = storageOver({ get: broken, set, remove });
    await expect(storage.entries()).rejects.toMatchObject({ code: "storage_unavailable" });
    isBroken = false;
    expect(await storage.entries()).toEqual([]);
  });
});

describe("after a restart", () => {
  test("the key is another one, and of the session its method is left, no token", async () => {
    const texts = new Map<string, string>();
    const storage = memoryStorage(texts);
    const key = await storage.readOrWrite("key", await newKey());
    await storage.write("session", SESSION);
    expect([await storage.read("key"), await storage.read("session")]).toEqual([key, SESSION]);
    expect(JSON.stringify([...texts])).not.toContain("secret");
    const later = memoryStorage(texts);
    expect(await later.read("key")).toBeUndefined();
    expect(await later.read("session")).toEqual({ method: "federated", accessExpiresAt: 0 });
  });

  test("the host's own key keeps its session, until a log-out", async () => {
    const texts = new Map<string, string>();
    const key = await newKey();
    await memoryStorage(texts, { key }).write("session", SESSION);
    const later = memoryStorage(texts, { key });
    expect(await later.read("session")).toEqual(SESSION);
    expect(await later.readOrWrite("key", await newKey())).toBe(key);
    await later.forget("key", "session");
    const fresh = await newKey();
    expect(await later.readOrWrite("key", fresh)).toBe(fresh);
    await later.write("session", SESSION);
    expect(JSON.stringify([...texts])).not.toContain("secret");
  });
});
