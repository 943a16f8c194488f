import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { vi } from "vitest";
import type { StoredEntry, TaglatchStorage, VaultContents } from "../storage.ts";

/** Files share a runtime: each begins with empty storage, as a browser's first visit does. */
globalThis.indexedDB = new IDBFactory();

/** {@link TaglatchStorage} in memory: for hosts' own storages as an example, and for tests without IndexedDB. */

export function memoryStorage(): TaglatchStorage {
  const vault: Partial<VaultContents> = {};
  const outbox = new Map<string, StoredEntry>();
  return {
    read: async (name) => vault[name],
    async write(name, value) {
      vault[name] = value;
    },
    async readOrWrite(name, fresh) {
      vault[name] ??= fresh;
      return vault[name] ?? fresh;
    },
    async forget(...names) {
      for (const name of names) delete vault[name];
    },
    entries: async () => [...outbox.values()].toSorted((a, b) => a.createdAt - b.createdAt),
    entry: async (id) => outbox.get(id),
    async putEntry(entry, superseded = []) {
      for (const id of superseded) outbox.delete(id);
      outbox.set(entry.id, entry);
    },
    async updateEntry(entry) {
      const isThere = outbox.has(entry.id);
      if (isThere) outbox.set(entry.id, entry);
      return isThere;
    },
    removeEntry: async (id) => outbox.delete(id),
  };
}

/**
 * Storage as WebKit loses it in the background: from transaction number `at` on (from 1), the handle that is open throws
 * UnknownError, and a new one works. Returns how many transactions were begun.
 */
export function loseStorage(at: number): { readonly begun: () => number; readonly restore: () => void } {
  let begun = 0;
  const lost = new Set<IDBDatabase>();
  const { transaction } = IDBDatabase.prototype;
  const spy = vi.spyOn(IDBDatabase.prototype, "transaction").mockImplementation(function (
    this: IDBDatabase,
    ...names: Parameters<IDBDatabase["transaction"]>
  ) {
    begun += 1;
    if (begun === at) lost.add(this);
    if (lost.has(this)) throw new DOMException("Connection to Indexed Database server lost.", "UnknownError");
    return transaction.apply(this, names);
  });
  return { begun: () => begun, restore: () => spy.mockRestore() };
}

/** Storage that fails for good from transaction number `at` on (from 1), whatever handle is used. */
export function breakStorage(at: number): { readonly begun: () => number; readonly restore: () => void } {
  let begun = 0;
  const { transaction } = IDBDatabase.prototype;
  const spy = vi.spyOn(IDBDatabase.prototype, "transaction").mockImplementation(function (
    this: IDBDatabase,
    ...names: Parameters<IDBDatabase["transaction"]>
  ) {
    begun += 1;
    if (begun >= at) throw new DOMException("The disk is full.", "QuotaExceededError");
    return transaction.apply(this, names);
  });
  return { begun: () => begun, restore: () => spy.mockRestore() };
}
