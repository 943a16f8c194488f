import { databaseError } from "./database-errors.ts";

/**
 * A D1 binding that counts: how many round trips and statements a request made, the rows they cost, how long it waited. Says
 * of what D1 throws whether the database is out of reach. Knows nothing of the statements themselves.
 */
export interface Trips {
  count: number;
  statements: number;
  milliseconds: number;
  /** Rows of tables and indexes touched, as D1 bills them. */
  rowsRead: number;
  rowsWritten: number;
}

export const noTrips = (): Trips => ({
  count: 0,
  statements: 0,
  milliseconds: 0,
  rowsRead: 0,
  rowsWritten: 0,
});

/** What a log line says of them. */
export const countsOf = ({ count, statements, rowsRead, rowsWritten }: Trips) => ({
  trips: count,
  statements,
  rowsRead,
  rowsWritten,
});

/** The doubles of a data point; docs/operations.md has queries over them. */
export const doublesOf = (milliseconds: number, trips: Trips): number[] => [
  milliseconds,
  trips.count,
  trips.statements,
  trips.milliseconds,
  trips.rowsRead,
  trips.rowsWritten,
];

/** `binding` with every round trip added to `trips`; `clock` in milliseconds. */
export function metered(binding: D1Database, trips: Trips, clock: () => number): D1Database {
  const timed: Timed = async (statements, trip) => {
    const start = clock();
    trips.count += 1;
    trips.statements += statements;
    try {
      const answer = await trip();
      for (const { meta } of resultsIn(answer)) {
        trips.rowsRead += meta.rows_read;
        trips.rowsWritten += meta.rows_written;
      }
      return answer;
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

/** The D1 results in what a query came back with; single rows and raw values carry no meta. */
const resultsIn = (answer: unknown): readonly D1Result[] => [answer].flat().filter(isResult);

const isResult = (value: unknown): value is D1Result =>
  typeof value === "object" && value !== null && "meta" in value && "success" in value;

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
