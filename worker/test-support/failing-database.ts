/** A D1 binding that fails as D1 does, from the trip a test chooses. */

/** `binding` whose every trip is refused with the message `isDown` gives while it gives one; its sessions likewise. */
export function failingDatabase(
  binding: D1Database,
  isDown: () => string | undefined,
  inner = new WeakMap<object, D1PreparedStatement>(),
): D1Database {
  const guarded = <T>(trip: () => Promise<T>): Promise<T> => {
    const message = isDown();
    return message === undefined ? trip() : Promise.reject(new Error(`D1_ERROR: ${message}`));
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
    const failing = failingDatabase(session as unknown as D1Database, isDown, inner);
    return { ...failing, getBookmark: () => session.getBookmark() };
  };
  return {
    withSession,
    prepare: (query: string) => statement(binding.prepare(query)),
    batch: (statements: D1PreparedStatement[]) =>
      guarded(() => binding.batch(statements.map((one) => inner.get(one) ?? one))),
  } as unknown as D1Database;
}
