import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { vi } from "vitest";

/** Files share a runtime: each begins with empty storage, as a browser's first visit does. */
globalThis.indexedDB = new IDBFactory();

interface BadStorage {
  /** How many transactions were begun. */
  readonly begun: () => number;
  readonly restore: () => void;
}

/** Storage whose transactions fail where `failure` says so of the handle and the transaction's number (from 1). */
function badStorage(failure: (db: IDBDatabase, number: number) => DOMException | undefined): BadStorage {
  let begun = 0;
  const { transaction } = IDBDatabase.prototype;
  const spy = vi.spyOn(IDBDatabase.prototype, "transaction").mockImplementation(function (
    this: IDBDatabase,
    ...names: Parameters<IDBDatabase["transaction"]>
  ) {
    begun += 1;
    const cause = failure(this, begun);
    if (cause !== undefined) throw cause;
    return transaction.apply(this, names);
  });
  return { begun: () => begun, restore: () => spy.mockRestore() };
}

/**
 * Storage as WebKit loses it in the background: from transaction number `at` on, the handle that is open throws
 * UnknownError, and a new one works.
 */
export function loseStorage(at: number): BadStorage {
  const lost = new Set<IDBDatabase>();
  return badStorage((db, number) => {
    if (number === at) lost.add(db);
    return lost.has(db)
      ? new DOMException("Connection to Indexed Database server lost.", "UnknownError")
      : undefined;
  });
}

/** Storage that fails for good from transaction number `at` on, whatever handle is used. */
export const breakStorage = (at: number): BadStorage =>
  badStorage((_db, number) =>
    number >= at ? new DOMException("The disk is full.", "QuotaExceededError") : undefined,
  );
