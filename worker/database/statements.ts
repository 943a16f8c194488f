import { getTableColumns, type InferInsertModel, isSQLWrapper, type SQL, type SQLWrapper } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { DrizzleD1Database, SQLiteD1Session } from "drizzle-orm/d1";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "../../db/connect.ts";
import { sql } from "../../db/sql.ts";
import { ApiError } from "../errors.ts";
import { databaseError, isDatabaseUnavailable } from "./database-errors.ts";
import { QuickDialect } from "./dialect.ts";

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
  return answersFrom(queue.length === 0 ? [] : await guarded(db, queue)) as AnswersOf<S>;
}

/** What the first batch of a request has to prove before anything else in it counts. */
interface Presumption {
  guard?: readonly Statement[] | undefined;
  isWrong: boolean;
  readonly calls: D1Calls;
}
const presumptions = new WeakMap<Db, Presumption>();

/** Sends `queue`, behind the guard if one waits. */
async function guarded(db: Db, queue: readonly Statement[]): Promise<readonly unknown[]> {
  const presumption = presumptions.get(db);
  const guard = presumption?.guard ?? [];
  const [first, ...rest] = [...guard, ...queue] as [Statement, ...Statement[]];
  if (presumption === undefined || guard.length === 0) return db.batch([first, ...rest]);
  try {
    const answers = await db.batch([first, ...rest]);
    presumption.guard = undefined;
    return answers.slice(guard.length);
  } catch (error) {
    // A batch that may have been committed is not tried again.
    presumption.isWrong = !isDatabaseUnavailable(error);
    throw error;
  }
}

/**
 * Runs `work` on what is presumed, and `guard` at the head of its first batch. A statement of the guard that fails undoes
 * that batch, so nothing of `work` has happened, and `anew` is run instead. So it is where `work` ends without a batch or
 * refuses before one: nothing is answered on a presumption alone. Without a guard there is only `anew`.
 */
export async function presuming<T>(
  db: Db,
  guard: readonly Statement[] | undefined,
  work: () => Promise<T>,
  anew: () => Promise<T>,
): Promise<T> {
  const presumption = presumptions.get(db);
  if (presumption === undefined) return anew();
  const { calls } = presumption;
  if (guard === undefined) {
    calls.again += 1;
    return anew();
  }
  if (presumption.guard !== undefined) {
    // Within another presumption, which judges both.
    presumption.guard = [...presumption.guard, ...guard];
    return work();
  }
  const before = calls.count;
  presumption.guard = guard;
  try {
    const answer = await work();
    if (presumption.guard === undefined) return answer;
  } catch (error) {
    const mayHaveHappened = presumption.guard === undefined;
    if (mayHaveHappened || !(presumption.isWrong || error instanceof ApiError)) throw error;
  } finally {
    presumption.guard = undefined;
  }
  calls.again += calls.count - before + 1;
  return anew();
}

/** A statement that fails unless `condition` holds. */
export const requiring = (db: Db, condition: SQL): Statement =>
  db
    .select({ presumed: sql`json(case when ${condition} then 'true' else 'not so' end)`.as("presumed") })
    .from(sql`(select 1)`);

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
  /** Those of them for a caller whom this isolate had not seen, or saw otherwise ({@link presuming}). */
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
  const presumption: Presumption = { isWrong: false, calls };
  const alone: Counted = (statements, call) => {
    if (presumption.guard !== undefined) throw new TypeError("a statement of its own before the guard");
    return counted(statements, call);
  };
  const database = {
    prepare: (query: string) => new CountedStatement(session(), query, alone),
    batch: (statements: CountedStatement[]) =>
      // D1 batches only statements that it made itself.
      counted(statements.length, () => session().batch(statements.map(({ inner }) => inner))),
  } as unknown as D1Database;
  const own = new SQLiteD1Session(database, dialect, undefined);
  const db: Db = new DrizzleD1Database("async", dialect, own as never, undefined);
  presumptions.set(db, presumption);
  return { db, calls, bookmark: () => latestOf(sessions) };
}

const dialect = new QuickDialect();

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
