import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { vi } from "vitest";

/** Files share a runtime: each begins with empty storage, as a browser's first visit does. */
globalThis.indexedDB = new IDBFactory();

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
