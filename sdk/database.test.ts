import { forceCloseDatabase, IDBFactory } from "fake-indexeddb";
import { openDB } from "idb";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Database } from "./database.ts";
import type { StoredEntry } from "./storage.ts";
import { loseStorage } from "./test-support/storage.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const made = () => {
  const name = crypto.randomUUID();
  return { name, database: new Database(name) };
};
const entry = (id: string, createdAt: number): StoredEntry => ({
  id,
  kind: "unlock",
  uniqueDeviceId: "t",
  createdAt,
  tries: 0,
});

describe("storage", () => {
  test("is opened once, in the first version", async () => {
    const { name, database } = made();
    const open = vi.spyOn(IDBFactory.prototype, "open");
    await database.read("key");
    await database.read("key");
    expect(open.mock.calls).toEqual([[name, 1]]);
    vi.restoreAllMocks();
  });

  test("that the browser does not give is an error of the installation, and tried again", async () => {
    const { database } = made();
    const cause = new DOMException("any", "SecurityError");
    vi.spyOn(IDBFactory.prototype, "open").mockImplementationOnce(() => {
      throw cause;
    });
    await expect(database.read("key")).rejects.toMatchObject({
      name: "ConfigurationError",
      code: "storage_unavailable",
      cause,
    });
    expect(await database.read("key")).toBeUndefined();
    vi.restoreAllMocks();
  });

  test("lets a newer page upgrade it", async () => {
    const { name, database } = made();
    await database.read("key");
    const newer = await openDB(name, 2);
    expect(newer.version).toBe(2);
    newer.close();
  });

  test("that cannot store at the end of a transaction has stored nothing of it, and says so", async () => {
    const { database } = made();
    await database.putEntry(entry("a", 1));
    const { put } = IDBObjectStore.prototype;
    const full = vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(function (
      this: IDBObjectStore,
      ...values: Parameters<IDBObjectStore["put"]>
    ) {
      const request = put.apply(this, values);
      request.addEventListener("success", () => this.transaction.abort());
      return request;
    });
    await expect(database.putEntry(entry("b", 2), ["a"])).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    full.mockRestore();
    expect(await database.entries()).toEqual([entry("a", 1)]);
  });

  test("that a newer page has upgraded is opened as it is now, and keeps what was there", async () => {
    const { name, database } = made();
    await database.write("passkey", { id: "a" });
    const newer = await openDB(name, 2, { upgrade: (db) => void db.createObjectStore("more") });
    expect(await database.read("passkey")).toEqual({ id: "a" });
    await database.putEntry(entry("a", 1));
    newer.close();
    expect(await new Database(name).entries()).toEqual([entry("a", 1)]);
  });

  test("that another page made it close is opened again at once", async () => {
    const { name, database } = made();
    await database.write("passkey", { id: "a" });
    (await openDB(name, 1)).close();
    const open = vi.spyOn(IDBFactory.prototype, "open");
    const use = vi.spyOn(IDBDatabase.prototype, "transaction").mockImplementationOnce(() => {
      throw new DOMException("The database connection is closing.", "InvalidStateError");
    });
    expect(await database.read("passkey")).toEqual({ id: "a" });
    expect([open.mock.calls.length, use.mock.calls.length]).toEqual([1, 2]);
  });

  test("whose connection was lost is reopened once, for every use that met it", async () => {
    const { database } = made();
    await database.write("passkey", { id: "a" });
    const open = vi.spyOn(IDBFactory.prototype, "open");
    const storage = loseStorage(1);
    const all = [database.read("passkey"), database.putEntry(entry("a", 1)), database.forget("certificate")];
    expect((await Promise.all(all))[0]).toEqual({ id: "a" });
    expect(open).toHaveBeenCalledOnce();
    storage.restore();
    expect(await database.entries()).toEqual([entry("a", 1)]);
  });

  test("that is lost twice in a row is an error of the installation", async () => {
    const { database } = made();
    await database.read("key");
    const use = vi.spyOn(IDBDatabase.prototype, "transaction").mockImplementation(() => {
      throw new DOMException("Connection to Indexed Database server lost.", "UnknownError");
    });
    await expect(database.read("key")).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(use).toHaveBeenCalledTimes(2);
    use.mockRestore();
    expect(await database.read("key")).toBeUndefined();
  });

  test("whose first connection is lost is reopened once", async () => {
    const { database } = made();
    vi.spyOn(IDBFactory.prototype, "open").mockImplementationOnce(() => {
      throw new DOMException("Connection to Indexed Database server lost.", "UnknownError");
    });
    expect(await database.read("key")).toBeUndefined();
  });

  test("that the browser ended is opened again", async () => {
    const { name, database } = made();
    const open = vi.spyOn(IDBFactory.prototype, "open");
    await database.write("passkey", { id: "a" });
    const request = open.mock.results[0]?.value as IDBOpenDBRequest;
    // Declared as taking the class; it takes a database.
    forceCloseDatabase(request.result as never);
    expect(await database.read("passkey")).toEqual({ id: "a" });
    expect(open.mock.calls.map(([opened]) => opened)).toEqual([name, name]);
    vi.restoreAllMocks();
  });
});
