import { databaseError } from "./database-errors.ts";

/**
 * A D1 binding that counts: how many round trips and statements a request made and how long it waited for them. Says
 * of what D1 throws whether the database is out of reach. Knows nothing of the statements themselves.
 */
export interface Trips {
  count: number;
  statements: number;
  milliseconds: number;
}

export const noTrips = (): Trips => ({ count: 0, statements: 0, milliseconds: 0 });

/** `binding` with every round trip added to `trips`; `clock` in milliseconds. */
export function metered(binding: D1Database, trips: Trips, clock: () => number): D1Database {
  const timed: Timed = async (statements, trip) => {
    const start = clock();
    trips.count += 1;
    trips.statements += statements;
    try {
      return await trip();
    } catch (error) {
      throw databaseError(error);
    } finally {
      trips.milliseconds += clock() - start;
    }
  };
  return {
    prepare: (query: string) => new MeteredStatement(binding.prepare(query), timed),
    batch: (statements: D1PreparedStatement[]) =>
      timed(statements.length, () => binding.batch(statements.map(unwrap))),
  } as unknown as D1Database;
}

type Timed = <T>(statements: number, trip: () => Promise<T>) => Promise<T>;

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
    return this.#timed(1, () => this.inner.first(...column));
  }
  run() {
    return this.#timed(1, () => this.inner.run());
  }
  all() {
    return this.#timed(1, () => this.inner.all());
  }
  raw(...options: []) {
    return this.#timed(1, () => this.inner.raw(...options));
  }
}

/** D1 batches only statements it made itself. */
const unwrap = (statement: unknown) =>
  statement instanceof MeteredStatement ? statement.inner : (statement as D1PreparedStatement);
