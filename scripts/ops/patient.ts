import { setTimeout as delay } from "node:timers/promises";
import type { D1Database, D1PreparedStatement } from "@cloudflare/workers-types";

/**
 * This machine's D1 beside a running `npm start`: two processes share a file, and SQLite lets one write at a time. Who
 * finds it taken has done nothing, so it is asked again. A deployment's database queues its callers itself.
 */
export function patient(d1: D1Database): D1Database {
  const inner = new WeakMap<object, D1PreparedStatement>();
  const wrapped = (statement: D1PreparedStatement): D1PreparedStatement => {
    const own = {
      bind: (...values: unknown[]) => wrapped(statement.bind(...values)),
      all: () => untilFree(() => statement.all()),
      run: () => untilFree(() => statement.run()),
      raw: (options?: { columnNames: true }) =>
        untilFree(() => (options === undefined ? statement.raw() : statement.raw(options))),
      first: (column?: string) =>
        untilFree(() => (column === undefined ? statement.first() : statement.first(column))),
    } as unknown as D1PreparedStatement;
    inner.set(own, statement);
    return own;
  };
  return {
    prepare: (query: string) => wrapped(d1.prepare(query)),
    batch: (statements: readonly D1PreparedStatement[]) =>
      untilFree(() => d1.batch(statements.map((each) => inner.get(each) ?? each))),
  } as unknown as D1Database;
}

/** Together some eight seconds: longer than any batch of the service. workerd writes a line at each. */
const TRIES = 12;
const PAUSE = 100;

async function untilFree<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await ask();
    } catch (error) {
      if (left === 0 || !isTaken(error)) throw error;
      await delay(PAUSE * (TRIES - left + 1));
    }
  }
}

/** workerd says SQLITE_BUSY in its own log, and hands over "internal error" with a reference. */
const isTaken = (error: unknown) => /SQLITE_BUSY|internal error; reference/.test(String(error));
