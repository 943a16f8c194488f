import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { fromBase32, fromBase64Url, toBase32, toBase64Url } from "../../core/encoding/bytes.ts";
import { type DataKey, open, seal } from "../secrets/sealed.ts";
import { databaseError } from "./database-errors.ts";

/** The database as services see it. */
export type Db = DrizzleD1Database;

/** Drizzle over a D1 binding, without sessions or counts: for commands and tests ({@link openDatabase} for requests). */
export const connect = (binding: D1Database): Db => drizzle(binding);

/**
 * The database of one request or run. It counts the calls and what D1 bills for them, detects errors of D1
 * that mean that the database is out of reach, and reads from copies that are never behind their caller (D1
 * Sessions). Every answer of the service names the bookmark of the database that it saw (`sealsBookmarks`). If a
 * look-up sends a bookmark back, any replica that has reached it may answer; everything else goes to the primary.
 */
export interface RequestDatabase {
  readonly db: Db;
  readonly calls: D1Calls;
  /** The latest bookmark that its queries returned. */
  bookmark(): string | undefined;
}

const callsOf = new WeakMap<Db, D1Calls>();

/** Counts the calls of a request that reads and decides again: a failed commit and a second read. */
export function countRetry(db: Db): void {
  const calls = callsOf.get(db);
  if (calls !== undefined) calls.again += 2;
}

/** Where a request's reads begin: at the primary, or at any copy that has seen a bookmark. */
export type Since = "first-primary" | (string & {});

/**
 * Opens `binding` for one request or run. Every D1 call is a D1 session of its own that begins at `from`: with
 * `first-primary`, a second call asks the primary again, not a replica that is only as far as the first call.
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
    prepare: (query: string) => new CountedStatement({ session, counted, query }),
    batch: (statements: CountedStatement[]) => {
      const own = session();
      // D1 batches only statements that it made itself.
      return counted(statements.length, () => own.batch(statements.map((statement) => statement.on(own))));
    },
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

/** The most variables of a D1 statement. */
const MOST_VARIABLES = 100;

interface Query {
  readonly query: string;
  readonly values: readonly unknown[];
}

/**
 * The same statement with fewer variables: equal values share one (`?1`), because rules repeat their caller and time.
 */
export function shareVariables({ query, values }: Query): Query {
  const shared = [...new Set(values)];
  let next = 0;
  // Texts and names in quotes are passed over: a question mark in them is no variable.
  const text = query.replace(/'[^']*'|"[^"]*"|\?/g, (token) =>
    token === "?" ? `?${shared.indexOf(values[next++]) + 1}` : token,
  );
  return { query: text, values: shared };
}

interface Prepared {
  readonly session: () => D1DatabaseSession;
  readonly counted: Counted;
  readonly query: string;
  readonly values?: readonly unknown[];
}

class CountedStatement {
  readonly #prepared: Prepared;
  constructor(prepared: Prepared) {
    this.#prepared = prepared;
  }

  /** D1's own statement. */
  on(session: D1DatabaseSession): D1PreparedStatement {
    const own = { values: [], ...this.#prepared };
    const { query, values } = own.values.length > MOST_VARIABLES ? shareVariables(own) : own;
    return session.prepare(query).bind(...values);
  }

  bind(...values: unknown[]) {
    return new CountedStatement({ ...this.#prepared, values });
  }
  first(...column: []) {
    return this.#alone((statement) => statement.first(...column));
  }
  run() {
    return this.#alone((statement) => statement.run());
  }
  all() {
    return this.#alone((statement) => statement.all());
  }
  raw(...options: []) {
    return this.#alone((statement) => statement.raw(...options));
  }

  #alone<T>(ask: (statement: D1PreparedStatement) => Promise<T>): Promise<T> {
    const { counted, session } = this.#prepared;
    return counted(1, () => ask(this.on(session())));
  }
}

/** Bookmarks sort as text, oldest first (D1, Time Travel). */
const latestOf = (sessions: readonly D1DatabaseSession[]): string | undefined =>
  sessions
    .map((session) => session.getBookmark())
    .filter((bookmark) => bookmark !== null && bookmark !== undefined)
    .sort()
    .at(-1);

/** What a request or run costs the database: calls and statements, the rows they cost, and the time spent waiting. */
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

/** The members of a log line about these calls. */
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

/**
 * Bookmarks as callers see them: `<13-digit milliseconds>-<sealed bookmark, base32>`. D1's own count changes of the
 * database, those of other airlines too. The time keeps the order in text, because SDKs keep the greatest.
 */

const SEALED = /^([0-9]{13})-([0-9a-v]{1,400})$/;
/** Unsealed bookmarks of D1, which callers of the release before still send. */
const UNSEALED = /^[0-9A-Za-z-]{1,128}$/;

/** A bookmark and the time in front of it. */
interface Stamped {
  readonly at: number;
  readonly bookmark: string;
}

/** Where a request's reads begin. */
export interface Start {
  readonly since: Since;
  /** The bookmark of the caller, if it was sealed. */
  readonly fromCaller?: Stamped;
}

/** For everything that decides. */
export const PRIMARY: Start = { since: "first-primary" };
const placeAt = (at: string) => ({ field: "bookmark", id: at }) as const;

/** At the bookmark of the caller; at the primary without one, or where it cannot be read. */
export async function startAt(key: DataKey, sent: string | null): Promise<Start> {
  const [, at, sealed] = SEALED.exec(sent ?? "") ?? [];
  if (at === undefined || sealed === undefined)
    return UNSEALED.test(sent ?? "") ? { since: sent ?? "" } : PRIMARY;
  try {
    const bookmark = await open(key, placeAt(at), toBase64Url(fromBase32(sealed)));
    return { since: bookmark, fromCaller: { at: Number(at), bookmark } };
  } catch {
    return PRIMARY;
  }
}

/** Seals the bookmarks of one isolate's answers. */
export type SealBookmark = (
  key: DataKey,
  answer: { readonly seen: string; readonly now: number; readonly fromCaller?: Stamped | undefined },
) => Promise<string>;

/**
 * Times follow the order of the bookmarks, not that of the answers: a copy may be behind, and an answer overtaken. Each
 * newer one gets a later time, independent of the clock, and so does the same one: an equal time would show that nothing
 * was written. Between isolates their clocks decide.
 */
export function sealsBookmarks(): SealBookmark {
  let last: Stamped = { at: 0, bookmark: "" };
  const timeOf = (bookmark: string, now: number, least: number): number => {
    if (bookmark < last.bookmark) return Math.min(now, last.at - 1);
    last = { at: Math.max(now, least, last.at + 1), bookmark };
    return last.at;
  };
  return async (key, { seen, now, fromCaller }) => {
    const at = String(timeOf(seen, now, (fromCaller?.at ?? 0) + 1));
    return `${at}-${toBase32(fromBase64Url(await seal(key, placeAt(at), seen)))}`;
  };
}
