/** A D1 binding that does what a test wants before each of its calls: fail as D1 does, or run a concurrent change. */

/** `binding`, and what awaits `before` ahead of every call; its sessions likewise. A call fails with what `before` throws. */
export function guardedDatabase(
  binding: D1Database,
  before: () => unknown,
  inner = new WeakMap<object, D1PreparedStatement>(),
): D1Database {
  const guarded = async <T>(call: () => Promise<T>): Promise<T> => {
    await before();
    return call();
  };
  const statement = (prepared: D1PreparedStatement): D1PreparedStatement => {
    const outer = {
      bind: (...values: unknown[]) => statement(prepared.bind(...values)),
      first: (...column: []) => guarded(() => prepared.first(...column)),
      run: () => guarded(() => prepared.run()),
      all: () => guarded(() => prepared.all()),
      raw: (...options: []) => guarded(() => prepared.raw(...options)),
    } as unknown as D1PreparedStatement;
    inner.set(outer, prepared);
    return outer;
  };
  const withSession = (from?: string) => {
    const session = binding.withSession(from);
    const guardedSession = guardedDatabase(session as unknown as D1Database, before, inner);
    return { ...guardedSession, getBookmark: () => session.getBookmark() };
  };
  return {
    withSession,
    prepare: (query: string) => statement(binding.prepare(query)),
    batch: (statements: D1PreparedStatement[]) =>
      guarded(() => binding.batch(statements.map((one) => inner.get(one) ?? one))),
  } as unknown as D1Database;
}

/** `binding` whose every call is refused with the message of `outage`, while it returns one. */
export const failingDatabase = (binding: D1Database, outage: () => string | undefined): D1Database =>
  guardedDatabase(binding, () => {
    const message = outage();
    if (message !== undefined) throw new Error(`D1_ERROR: ${message}`);
  });

/** A service's database, and a way to let something happen between two calls of one request. */
export interface Interruption {
  readonly database: (binding: D1Database) => D1Database;
  /** `change` runs once, before the call that is number `call` from now, counted from 1. */
  beforeCall(call: number, change: () => Promise<unknown>): void;
}

export function interruption(): Interruption {
  let left = 0;
  let happen: () => Promise<unknown> = async () => undefined;
  const count = async () => {
    left -= 1;
    if (left === 0) await happen();
  };
  return {
    database: (binding) => guardedDatabase(binding, count),
    beforeCall: (call, change) => {
      left = call;
      happen = change;
    },
  };
}
