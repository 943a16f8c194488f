/**
 * A D1 binding that counts: how many round trips a request made and how long it waited for them. Knows nothing of
 * the statements themselves.
 */
export interface Trips {
  count: number;
  milliseconds: number;
}

/** `binding` with every round trip added to `trips`; `clock` in milliseconds. */
export function metered(binding: D1Database, trips: Trips, clock: () => number): D1Database {
  const timed = async <T>(trip: () => Promise<T>): Promise<T> => {
    const start = clock();
    trips.count += 1;
    try {
      return await trip();
    } finally {
      trips.milliseconds += clock() - start;
    }
  };
  return {
    prepare: (query: string) => new MeteredStatement(binding.prepare(query), timed),
    batch: (statements: D1PreparedStatement[]) => timed(() => binding.batch(statements.map(unwrap))),
    exec: (query: string) => timed(() => binding.exec(query)),
    withSession: (constraint?: string) => binding.withSession(constraint),
    dump: () => binding.dump(),
  } as unknown as D1Database;
}

type Timed = <T>(trip: () => Promise<T>) => Promise<T>;

class MeteredStatement {
  readonly inner: D1PreparedStatement;
  readonly #timed: Timed;
  constructor(inner: D1PreparedStatement, timed: Timed) {
    this.inner = inner;
    this.#timed = timed;
  }

  bind(...values: unknown[]) {
    return new MeteredStatement(this.inner.bind(...values), this.#timed);
  }
  first(...column: []) {
    return this.#timed(() => this.inner.first(...column));
  }
  run() {
    return this.#timed(() => this.inner.run());
  }
  all() {
    return this.#timed(() => this.inner.all());
  }
  raw(...options: []) {
    return this.#timed(() => this.inner.raw(...options));
  }
}

/** D1 batches only statements it made itself. */
const unwrap = (statement: unknown) =>
  statement instanceof MeteredStatement ? statement.inner : (statement as D1PreparedStatement);
