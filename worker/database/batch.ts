import {
  getTableColumns,
  type InferInsertModel,
  isSQLWrapper,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { connect, type Db } from "./connect.ts";
import { databaseError } from "./database-errors.ts";

/**
 * Statements that cannot be misread (columns and answers are found by name, never by position), and below the database
 * that one request or run sends them to.
 */

/** A row of `T`: values, or expressions over the source of the select. What may be null may be left out. */
export type RowOf<T extends SQLiteTable> = {
  readonly [Name in keyof InferInsertModel<T>]: InferInsertModel<T>[Name] | SQLWrapper;
};

/**
 * `insert into table (…) select …`: one row for each row of `from` (`from … where …`; a bare `where …` makes
 * one or none). If a mandatory column is not named, it throws a TypeError before anything runs.
 */
export function insertFrom<T extends SQLiteTable>(db: Db, table: T, row: RowOf<T>, from: SQL) {
  const given: Readonly<Record<string, unknown>> = row;
  const columns = Object.entries(getTableColumns(table) as Record<string, SQLiteColumn>);
  const values = columns.map(([name, column]) => valueFor(column, given[name]));
  return db.insert(table).select(sql`select ${sql.join(values, sql`, `)} ${from}`);
}

function valueFor(column: SQLiteColumn, value: unknown): SQL {
  if (value !== undefined && value !== null) {
    return isSQLWrapper(value) ? sql`${value}` : sql`${sql.param(value, column)}`;
  }
  // An integer primary key numbers itself.
  if (column.notNull && !column.primary) throw new TypeError(`${column.name} has no value`);
  return sql`null`;
}

type Statement = BatchItem<"sqlite">;

/** Statements by name: one, a list, or a group of these; undefined where there is nothing to run. */
export interface Statements {
  readonly [name: string]: Statement | readonly Statement[] | Statements | undefined;
}

/** What {@link inBatch} answers: under each name the result of its statement, list or group. */
export type AnswersOf<S> = S extends Statement
  ? S["_"]["result"]
  : S extends object
    ? { readonly [Name in keyof S]: AnswersOf<S[Name]> }
    : undefined;

/**
 * Runs `statements` as one batch, in their order: all of them take effect or none. If there are none, there
 * is no D1 call.
 */
export async function inBatch<const S extends Statements>(db: Db, statements: S): Promise<AnswersOf<S>> {
  const queue: Statement[] = [];
  const answersFrom = enqueue(statements, queue);
  const [first, ...rest] = queue;
  return answersFrom(first === undefined ? [] : await db.batch([first, ...rest])) as AnswersOf<S>;
}

const callsOf = new WeakMap<Db, D1Calls>();

/** Counts the calls of a request that reads and decides again: a failed commit and a second read. */
export function countRetry(db: Db): void {
  const calls = callsOf.get(db);
  if (calls !== undefined) calls.again += 2;
}

/** Queues what is in `item`; returns a function that finds its answers among those of the whole queue. */
function enqueue(item: Statements[string], queue: Statement[]): (answers: readonly unknown[]) => unknown {
  if (item === undefined) return () => undefined;
  if (isStatement(item)) {
    const place = queue.push(item) - 1;
    return (answers) => answers[place];
  }
  if (Array.isArray(item)) {
    const parts = item.map((part) => enqueue(part, queue));
    return (answers) => parts.map((part) => part(answers));
  }
  const parts = Object.entries(item).map(([name, part]) => [name, enqueue(part, queue)] as const);
  return (answers) => Object.fromEntries(parts.map(([name, part]) => [name, part(answers)]));
}

const isStatement = (item: object): item is Statement => "_prepare" in item;

/**
 * `values` as one bound value, for `in`: D1 takes a hundred per statement, and a message may name thousands.
 */
export const inList = (values: readonly (string | number)[]): SQL =>
  sql`(select value from json_each(${JSON.stringify(values)}))`;

/**
 * The database of one request or run. It counts the calls and what D1 bills for them, tells whether an error
 * of D1 means that the database is out of reach, and reads from copies that are never behind their caller (D1
 * Sessions). Every answer of the service names the bookmark of the database that it saw (bookmarks.ts). If a
 * look-up brings a bookmark back, any copy that has got as far may answer it; everything else goes to the primary.
 */
export interface RequestDatabase {
  readonly db: Db;
  readonly calls: D1Calls;
  /** The latest bookmark that its queries returned. */
  bookmark(): string | undefined;
}

/** Calls and statements, the rows they cost, and the time spent waiting for them. */
export interface D1Calls {
  count: number;
  /** Those of them of requests whose facts had changed before their commit ({@link countRetry}). */
  again: number;
  statements: number;
  milliseconds: number;
  /** Rows of tables and indexes touched, as D1 bills them. */
  rowsRead: number;
  rowsWritten: number;
}

export const noCalls = (): D1Calls => ({
  count: 0,
  again: 0,
  statements: 0,
  milliseconds: 0,
  rowsRead: 0,
  rowsWritten: 0,
});

/** What a log line says of these calls. */
export const countsOf = ({ count, again, statements, rowsRead, rowsWritten }: D1Calls) => ({
  calls: count,
  ...(again > 0 && { again }),
  statements,
  rowsRead,
  rowsWritten,
});

/** The doubles of a data point; docs/operations.md has queries over them. */
export const doublesOf = (milliseconds: number, calls: D1Calls): number[] => [
  milliseconds,
  calls.count,
  calls.statements,
  calls.milliseconds,
  calls.rowsRead,
  calls.rowsWritten,
  calls.again,
];

/** Where a request's reads begin: at the primary, or at any copy that has seen a bookmark. */
export type Since = "first-primary" | (string & {});

/**
 * Opens `binding` for one request or run. Every D1 call is a D1 session of its own that begins at `from`: a
 * second call asks the primary again, not a copy that is only as far as the first call.
 */
export function openDatabase(binding: D1Database, from: Since): RequestDatabase {
  const calls = noCalls();
  const sessions: D1DatabaseSession[] = [];
  const session = () => {
    const made = binding.withSession(from);
    sessions.push(made);
    return made;
  };
  const counted: Counted = async (statements, call) => {
    const start = performance.now();
    calls.count += 1;
    calls.statements += statements;
    try {
      const answer = await call();
      for (const { meta } of resultsIn(answer)) {
        calls.rowsRead += meta.rows_read;
        calls.rowsWritten += meta.rows_written;
      }
      return answer;
    } catch (error) {
      throw databaseError(error);
    } finally {
      calls.milliseconds += performance.now() - start;
    }
  };
  const database = {
    prepare: (query: string) => new CountedStatement(session(), query, counted),
    batch: (statements: CountedStatement[]) =>
      // D1 batches only statements that it made itself.
      counted(statements.length, () => session().batch(statements.map(({ inner }) => inner))),
  } as unknown as D1Database;
  const db = connect(database);
  callsOf.set(db, calls);
  return { db, calls, bookmark: () => latestOf(sessions) };
}

/** The D1 results in the answer to a query; single rows and raw values carry no meta. */
const resultsIn = (answer: unknown): readonly D1Result[] => [answer].flat().filter(isResult);

const isResult = (value: unknown): value is D1Result =>
  typeof value === "object" && value !== null && "meta" in value && "success" in value;

type Counted = <T>(statements: number, call: () => Promise<T>) => Promise<T>;

/** D1 takes so many variables per statement. */
const MOST_VARIABLES = 100;

/**
 * The same statement with fewer variables, where it has too many: equal values share one (`?1`). A rule that
 * is built of smaller ones repeats its caller and its time again and again.
 */
export function shareVariables(
  query: string,
  values: readonly unknown[],
): { readonly query: string; readonly values: readonly unknown[] } {
  if (values.length <= MOST_VARIABLES) return { query, values };
  const shared = [...new Set(values)];
  let next = 0;
  // Texts and names in quotes are passed over: a question mark in them is no variable.
  const text = query.replace(/'[^']*'|"[^"]*"|\?/g, (token) =>
    token === "?" ? `?${shared.indexOf(values[next++]) + 1}` : token,
  );
  return { query: text, values: shared };
}

class CountedStatement {
  readonly #session: D1DatabaseSession;
  readonly #query: string;
  readonly #values: readonly unknown[];
  readonly #counted: Counted;
  constructor(session: D1DatabaseSession, query: string, counted: Counted, values: readonly unknown[] = []) {
    this.#session = session;
    this.#query = query;
    this.#values = values;
    this.#counted = counted;
  }

  /** D1's own statement. */
  get inner(): D1PreparedStatement {
    const { query, values } = shareVariables(this.#query, this.#values);
    return this.#session.prepare(query).bind(...values);
  }

  bind(...values: unknown[]) {
    return new CountedStatement(this.#session, this.#query, this.#counted, values);
  }
  first(...column: []) {
    return this.#counted(1, () => this.inner.first(...column));
  }
  run() {
    return this.#counted(1, () => this.inner.run());
  }
  all() {
    return this.#counted(1, () => this.inner.all());
  }
  raw(...options: []) {
    return this.#counted(1, () => this.inner.raw(...options));
  }
}

/** Bookmarks sort as text, oldest first (D1, Time Travel). */
const latestOf = (sessions: readonly D1DatabaseSession[]): string | undefined =>
  sessions
    .map((session) => session.getBookmark())
    .filter((bookmark) => bookmark !== null && bookmark !== undefined)
    .sort()
    .at(-1);
