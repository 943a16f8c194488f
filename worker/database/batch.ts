import {
  fillPlaceholders,
  getTableColumns,
  type InferInsertModel,
  is,
  isSQLWrapper,
  Placeholder,
  SQL,
  type SQLWrapper,
  sql,
  Column as TableColumn,
} from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type SQLiteColumn, SQLiteSyncDialect, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { guards } from "../../db/schema.ts";
import { ApiError } from "../errors.ts";
import { countRetry, type Db, shareVariables } from "./connect.ts";
import { isDatabaseUnavailable } from "./database-errors.ts";

/**
 * Statements that cannot be misread: columns and answers are found by name, never by position. Below, the facts that a
 * decision is made from, the guard under which it is committed, and the retry where they have changed.
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

/** The name of the constraint that a failed guard violates. */
const CONFLICT = "facts_unchanged";

/** The rest of a select that has a row, which {@link guards} refuses, unless `condition` is true; null fails, too. */
const unless = (condition: SQL): SQL => sql`where (${condition}) is not 1`;

/** A statement that fails unless `condition` holds, and with it its batch. */
export const requiring = (db: Db, condition: SQL): Statement =>
  insertFrom(db, guards, { held: 0 }, unless(condition));

/** Whether a batch failed because a guard did: D1, SQLite and drizzle each wrap the constraint's name. */
export function isConflict(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return false;
  for (let at = error; at instanceof Error; at = at.cause) if (at.message.includes(CONFLICT)) return true;
  return false;
}

/**
 * Facts of a decision (ADR 33): rows as one JSON text each, made by SQLite. The commit evaluates the same selects and
 * fails as a whole unless each still gives the text that was read. No version columns and no locks: other writers of these
 * tables need no cooperation.
 */

type Column = SQLiteColumn | SQL;
/** Columns by name; a group of them becomes a row within the row. D1 gives a function 32 arguments at most. */
type Columns = Readonly<Record<string, Column | Readonly<Record<string, Column>>>>;
type ValueOf<C> = C extends SQLiteColumn
  ? C["_"]["notNull"] extends true
    ? C["_"]["data"]
    : C["_"]["data"] | null
  : C extends SQL<infer T>
    ? T
    : { readonly [Name in keyof C]: ValueOf<C[Name]> };
type FactOf<C extends Columns> = { readonly [Name in keyof C]: ValueOf<C[Name]> };

export interface Snapshot<Row> {
  readonly select: SQL;
  readonly parse: (text: string) => readonly Row[];
  /** False for what no decision depends on, and for what the commit checks itself. */
  readonly isGuarded: boolean;
}

/** `columns` of the rows of `from` (`from … where … order by …`, in a fixed order). Values are {@link parameter}. */
export function snapshot<const C extends Columns>(
  columns: C,
  from: SQL,
  { isGuarded = true } = {},
): Snapshot<FactOf<C>> {
  const decode = decoderOf(columns);
  return {
    select: sql`(select json_group_array(json(line.one)) from (select ${arrayOf(columns)} as one ${from}) as line)`,
    isGuarded,
    parse: (text) => (JSON.parse(text) as unknown[][]).map((values) => decode(values) as FactOf<C>),
  };
}

/** A value that each request binds. */
export const parameter = (name: string) => new Placeholder(name);

const isColumn = (one: Columns[string]): one is Column => is(one, SQL) || is(one, TableColumn);

const arrayOf = (columns: Columns): SQL =>
  sql`json_array(${sql.join(
    Object.values(columns).map((one) => (isColumn(one) ? one : arrayOf(one))),
    sql`, `,
  )})`;

/** What makes a row of a line's values: which decoder a column has is known when the module is loaded. */
function decoderOf(columns: Columns): (values: unknown) => object {
  const decoders = Object.entries(columns).map(([name, one]) => [name, valueDecoderOf(one)] as const);
  return (values) => {
    const row: Record<string, unknown> = {};
    decoders.forEach(([name, decode], at) => {
      row[name] = decode((values as readonly unknown[])[at]);
    });
    return row;
  };
}

function valueDecoderOf(one: Columns[string]): (value: unknown) => unknown {
  if (!isColumn(one)) return decoderOf(one);
  if (!is(one, TableColumn)) return (value) => value;
  return (value) => (value === null ? null : one.mapFromDriverValue(value));
}

type Snapshots = Readonly<Record<string, Snapshot<unknown>>>;
export type FactsOf<S> = {
  readonly [Name in keyof S]: S[Name] extends Snapshot<infer Row> ? readonly Row[] : never;
};
export type Texts = Readonly<Record<string, string>>;
export type Values = Readonly<Record<string, string | number | null>>;
/** A select of one row of texts. */
type TextsStatement = Statement & { readonly _: { readonly result: readonly Texts[] } };

/** Snapshots that one statement reads and another guards. Both are written once, when the module is loaded. */
export class Reading<const S extends Snapshots> {
  readonly #snapshots: S;
  readonly #read: Text;
  readonly #guard: Text;

  constructor(snapshots: S) {
    this.#snapshots = snapshots;
    const all = Object.entries(snapshots);
    const columns = all.map(([name, { select }]) => sql`${select} as ${sql.identifier(name)}`);
    const guarded = all.filter(([, { isGuarded }]) => isGuarded);
    const same = guarded.map(([name, { select }]) => sql`${select} is ${parameter(TEXT_OF + name)}`);
    this.#read = textOf(sql`select ${sql.join(columns, sql`, `)}`);
    this.#guard = textOf(failUnless(sql`${sql.join(same, sql` and `)}`));
  }

  readonly read = (db: Db, values: Values) => statement(db, this.#read, values) as TextsStatement;

  /** Fails, and with it its batch, unless every guarded snapshot gives the text that was read. */
  readonly guard = (db: Db, values: Values, texts: Texts): Statement => {
    const read = Object.entries(texts).map(([name, text]) => [TEXT_OF + name, text]);
    return statement(db, this.#guard, { ...values, ...Object.fromEntries(read) });
  };

  readonly facts = (texts: Texts): FactsOf<S> => {
    const facts = Object.entries(this.#snapshots).map(([name, { parse }]) => [
      name,
      parse(texts[name] ?? "[]"),
    ]);
    return Object.fromEntries(facts) as FactsOf<S>;
  };
}

const TEXT_OF = "text of ";

/** Fails unless `condition` is true. Writes no row where it holds. */
const failUnless = (condition: SQL): SQL => sql`insert into ${guards} select 0 ${unless(condition)}`;

interface Text {
  readonly query: string;
  readonly params: readonly unknown[];
}

const dialect = new SQLiteSyncDialect();

/** The text of a statement; equal parameters share a variable (`?1`), because D1 takes a hundred of them. */
function textOf(select: SQL): Text {
  const { sql: query, params } = dialect.sqlToQuery(select);
  const keys = params.map((param) => (is(param, Placeholder) ? `:${param.name}` : JSON.stringify(param)));
  const shared = shareVariables({ query, values: keys });
  return { query: shared.query, params: shared.values.map((key) => params[keys.indexOf(String(key))]) };
}

/** A statement whose text is written once, when the module is loaded; each request binds its values. */
export function written<Row>(query: SQL) {
  const text = textOf(query);
  return (db: Db, values: Values) =>
    statement(db, text, values) as Statement & { readonly _: { readonly result: readonly Row[] } };
}

/** A statement that fails unless `condition` holds, and with it its batch. */
export const demanding = (condition: SQL) => written<never>(failUnless(condition));

/** The values of `parameter(name)` that is a list, for `in`. */
export const listOf = (name: string): SQL => sql`(select value from json_each(${parameter(name)}))`;

const columnsOf = (table: SQLiteTable) => Object.entries<SQLiteColumn>(getTableColumns(table));
const nameOf = ({ name }: SQLiteColumn) => sql`${sql.identifier(name)}`;
const driverValue = (column: SQLiteColumn, value: unknown) =>
  value === undefined || value === null ? null : column.mapToDriverValue(value);

/** `insert into table`, for any number of rows. */
export function inserting<T extends SQLiteTable>(table: T, onConflict: SQL = sql``) {
  const columns = columnsOf(table);
  const names = columns.map(([, column]) => nameOf(column));
  const values = columns.map((_, at) => sql.raw(`value ->> ${at}`));
  const insert = written<never>(sql`insert into ${table} (${sql.join(names, sql`, `)})
    select ${sql.join(values, sql`, `)} from json_each(${parameter("rows")}) where true ${onConflict}`);
  return (db: Db, rows: readonly InferInsertModel<T>[]) => {
    const lines = rows.map((row: Readonly<Record<string, unknown>>) =>
      columns.map(([name, column]) => driverValue(column, row[name])),
    );
    return lines.length === 0 ? undefined : insert(db, { rows: JSON.stringify(lines) });
  };
}

/** `update table set … where key = …`; each set of columns has its text. */
export function updating<T extends SQLiteTable>(table: T, key: SQLiteColumn) {
  const columns = Object.fromEntries(columnsOf(table));
  const texts = new Map<string, ReturnType<typeof written<never>>>();
  const textFor = (names: readonly string[]) => {
    const known = texts.get(names.join());
    if (known !== undefined) return known;
    const set = names.map((name) => sql`${nameOf(columns[name] as SQLiteColumn)} = ${parameter(name)}`);
    const made = written<never>(
      sql`update ${table} set ${sql.join(set, sql`, `)} where ${key} = ${parameter("the key")}`,
    );
    texts.set(names.join(), made);
    return made;
  };
  return (db: Db, id: string, changes: Partial<InferInsertModel<T>>) => {
    const entries = Object.entries(changes);
    const values = entries.map(([name, value]) => [name, driverValue(columns[name] as SQLiteColumn, value)]);
    const text = textFor(entries.map(([name]) => name));
    return text(db, { ...Object.fromEntries(values), "the key": id });
  };
}

/** A statement for a batch of drizzle's whose text is there already: composing one costs more than running it. */
function statement(db: Db, { query, params }: Text, values: Values): Statement {
  const { client } = (db as unknown as { session: { client: D1Database } }).session;
  const filled = fillPlaceholders([...params], values);
  const prepared = {
    getQuery: () => ({ sql: query, params: filled }),
    stmt: client.prepare(query),
    mapResult: ({ results }: D1Result) => results,
  };
  return { _prepare: () => prepared } as unknown as Statement;
}

/** A decision and what it writes: undefined where there is nothing to write. */
interface Planned<Decision> {
  readonly decision: Decision;
  readonly commit: Statements | undefined;
  /** What follows from the answers of `commit`, once it holds. */
  readonly committed?: (answers: unknown) => void;
}

interface Transaction<Facts, Decision> {
  /** What the first call of the request has read, if it has. */
  readonly first?: Facts | undefined;
  readonly read: () => Promise<Facts>;
  readonly plan: (facts: Facts) => Promise<Planned<Decision>>;
  /** A number from 0 to 1. */
  readonly random: () => number;
  /** Milliseconds since it began. */
  readonly elapsed: () => number;
}

/** The time and chance of a request's {@link transact}. */
export function attemptsOf({ random }: { readonly random: (length: number) => Uint8Array }) {
  const began = performance.now();
  return { random: () => (random(1)[0] ?? 0) / 255, elapsed: () => performance.now() - began };
}

const MOST_ATTEMPTS = 8;
const LONGEST_MILLISECONDS = 4_000;

/**
 * Reads, plans and commits until a commit holds. Throws `service_unavailable` after {@link MOST_ATTEMPTS} or {@link LONGEST_MILLISECONDS}. A database that did not
 * answer is never asked again: the batch may have been committed.
 */
export async function transact<Facts, Decision>(
  db: Db,
  { first, read, plan, random, elapsed }: Transaction<Facts, Decision>,
): Promise<Decision> {
  let facts = first ?? (await read());
  for (let attempt = 1; ; attempt += 1) {
    const { decision, commit, committed } = await plan(facts);
    if (commit === undefined) return decision;
    try {
      const answers = await inBatch(db, commit);
      committed?.(answers);
      return decision;
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt === MOST_ATTEMPTS || elapsed() > LONGEST_MILLISECONDS) throw contention();
    }
    countRetry(db);
    await pause(attempt, random);
    facts = await read();
  }
}

const contention = () =>
  new ApiError("service_unavailable", { headers: { "Retry-After": "1" }, reason: "contention" });

/** Longer after each attempt and random, so that of many callers some get through. Uncapped: a cap starves them. */
const pause = (attempt: number, random: () => number) =>
  new Promise<void>((resolve) => setTimeout(resolve, random() * 20 * 2 ** attempt));
