// @vitest-environment jsdom
import { IDBFactory } from "fake-indexeddb";
import { openDB } from "idb";
import { createRoot } from "solid-js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { OutboxEntry, OutboxEvent, Taglatch } from "../../sdk/index.ts";
import { leaveOutbox } from "../test-support/left-outbox.ts";
import { createOutbox, isOutboxEmpty } from "./create-outbox.ts";

const entry = (id: string, nextTryAt?: number): OutboxEntry => ({
  ...{ id, kind: "attach", uniqueDeviceId: `ebt-${id}`, baggageId: 1, createdAt: 0, tries: 1 },
  ...(nextTryAt !== undefined && { nextTryAt }),
});

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

/** A page whose outbox holds `waiting`. */
async function page(...waiting: OutboxEntry[]) {
  const flushes: unknown[] = [];
  const made = { waiting, flushed: (_sentIds: string[]) => {}, says: (_event: OutboxEvent) => {} };
  const outbox = {
    entries: async () => made.waiting,
    flush: async ({ due }: { due?: boolean }) => void flushes.push(due),
    subscribe: (listener: (event: OutboxEvent) => void) => {
      made.says = listener;
      return () => undefined;
    },
  };
  const client = { outbox } as unknown as Taglatch;
  const sync = {
    request: () => undefined,
    onFlushed: (listener: (sentIds: string[]) => void) => {
      made.flushed = listener;
      return () => undefined;
    },
  } as unknown as Parameters<typeof createOutbox>[1];
  const { own, leave } = createRoot((leave) => ({ own: createOutbox(async () => client, sync), leave }));
  await own.attach(client);
  await vi.advanceTimersByTimeAsync(0);
  return { own, leave, made, flushes };
}

test("what the service worker has sent is reported as sent; what waits or is gone otherwise is not", async () => {
  const { own, leave, made } = await page(entry("1"), entry("2"), entry("3"));
  const sent: string[] = [];
  own.onResolved(({ id }) => sent.push(id));
  made.waiting = [entry("2")];
  made.flushed(["1"]);
  await vi.waitFor(() => expect(own.entries()).toHaveLength(1));
  await vi.waitFor(() => expect(sent).toEqual(["1"]));
  leave();
});

test("what the service worker has sent is reported, also where the page sees first that it is gone", async () => {
  const { own, leave, made } = await page(entry("1"));
  const sent: string[] = [];
  own.onResolved(({ id }) => sent.push(id));
  made.waiting = [];
  await own.flush();
  expect(own.entries()).toEqual([]);
  expect(sent).toEqual([]);
  made.flushed(["1"]);
  made.flushed(["1"]);
  await vi.waitFor(() => expect(sent).toEqual(["1"]));
  leave();
});

test("an entry is tried when its pause is over, and not before", async () => {
  const { leave, flushes } = await page(entry("1", Date.now() + 30_000));
  expect(flushes).toEqual([true]);
  await vi.advanceTimersByTimeAsync(29_999);
  expect(flushes).toEqual([true]);
  await vi.advanceTimersByTimeAsync(1);
  expect(flushes).toEqual([true, true]);
  leave();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(flushes).toEqual([true, true]);
});

test("what stays overdue is not tried without a pause", async () => {
  const { leave, flushes } = await page(entry("1", 1));
  await vi.advanceTimersByTimeAsync(14_999);
  expect(flushes).toEqual([true]);
  await vi.advanceTimersByTimeAsync(1);
  expect(flushes).toEqual([true, true]);
  leave();
});

test("the network and a return to the page try what is due; a person's wish tries everything", async () => {
  const { own, leave, flushes } = await page(entry("1", Date.now() + 30_000));
  dispatchEvent(new Event("online"));
  await vi.waitFor(() => expect(flushes).toEqual([true, true]));
  document.dispatchEvent(new Event("visibilitychange"));
  await vi.waitFor(() => expect(flushes).toEqual([true, true, true]));
  await own.flush();
  expect(flushes.at(-1)).toBe(false);
  leave();
});

describe("a browser's outbox", () => {
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
});
