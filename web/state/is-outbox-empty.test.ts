import { IDBFactory } from "fake-indexeddb";
import { openDB } from "idb";
import { beforeEach, expect, test, vi } from "vitest";
import { leaveOutbox } from "../test-support/left-outbox.ts";
import { isOutboxEmpty } from "./create-outbox.ts";

const NAME = "taglatch";

beforeEach(() => void vi.stubGlobal("indexedDB", new IDBFactory()));

test("a browser that has never had an outbox has none afterwards", async () => {
  expect(await isOutboxEmpty(NAME)).toBe(true);
  expect(await indexedDB.databases()).toEqual([]);
});

test("what an earlier visit left is seen without the SDK", async () => {
  await leaveOutbox();
  expect(await isOutboxEmpty(NAME)).toBe(false);
  const database = await openDB(NAME, 1);
  await database.clear("outbox");
  expect(await isOutboxEmpty(NAME)).toBe(true);
  database.close();
});

test("a database of another kind is no outbox", async () => {
  (await openDB("other", 1)).close();
  expect(await isOutboxEmpty("other")).toBe(true);
});
