/** A D1 binding that does what a test wants before each of its calls: fail as D1 does, or run a concurrent change. */

interface Inner {
  readonly prepared: D1PreparedStatement;
  readonly text: string;
}

/**
 * `binding`, and what awaits `before` ahead of every call, which has the texts of its statements; its sessions likewise. A
 * call fails with what `before` throws.
 */
export function guardedDatabase(
  binding: D1Database,
  before: (texts: readonly string[]) => unknown,
  inner = new WeakMap<object, Inner>(),
): D1Database {
  const guarded = async <T>(texts: readonly string[], call: () => Promise<T>): Promise<T> => {
    await before(texts);
    return call();
  };
  const statement = (prepared: D1PreparedStatement, text: string): D1PreparedStatement => {
    const outer = {
      bind: (...values: unknown[]) => statement(prepared.bind(...values), text),
      first: (...column: []) => guarded([text], () => prepared.first(...column)),
      run: () => guarded([text], () => prepared.run()),
      all: () => guarded([text], () => prepared.all()),
      raw: (...options: []) => guarded([text], () => prepared.raw(...options)),
    } as unknown as D1PreparedStatement;
    inner.set(outer, { prepared, text });
    return outer;
  };
  const withSession = (from?: string) => {
    const session = binding.withSession(from);
    const guardedSession = guardedDatabase(session as unknown as D1Database, before, inner);
    return { ...guardedSession, getBookmark: () => session.getBookmark() };
  };
  const batch = (statements: D1PreparedStatement[]) => {
    const all = statements.map((one) => inner.get(one) ?? { prepared: one, text: "?" });
    const texts = all.map(({ text }) => text);
    return guarded(texts, () => binding.batch(all.map(({ prepared }) => prepared)));
  };
  const prepare = (query: string) => statement(binding.prepare(query), query);
  return { withSession, prepare, batch } as unknown as D1Database;
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
