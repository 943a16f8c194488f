import { fillPlaceholders, is, Placeholder, SQL, sql, Column as TableColumn } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type SQLiteColumn, SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { guards } from "../../db/schema.ts";
import { unless } from "./batch.ts";
import { type Db, shareVariables } from "./connect.ts";

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
type RowOf<C extends Columns> = { readonly [Name in keyof C]: ValueOf<C[Name]> };

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
): Snapshot<RowOf<C>> {
  return {
    select: sql`(select json_group_array(json(line.one)) from (select ${arrayOf(columns)} as one ${from}) as line)`,
    isGuarded,
    parse: (text) => (JSON.parse(text) as unknown[][]).map((values) => rowOf(columns, values) as RowOf<C>),
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

const rowOf = (columns: Columns, values: readonly unknown[]): object =>
  Object.fromEntries(Object.entries(columns).map(([name, one], i) => [name, decoded(one, values[i])]));

function decoded(one: Columns[string], value: unknown): unknown {
  if (!isColumn(one)) return rowOf(one, value as readonly unknown[]);
  return value === null || !is(one, TableColumn) ? value : one.mapFromDriverValue(value);
}

type Snapshots = Readonly<Record<string, Snapshot<unknown>>>;
export type FactsOf<S> = {
  readonly [Name in keyof S]: S[Name] extends Snapshot<infer Row> ? readonly Row[] : never;
};
export type Texts = Readonly<Record<string, string>>;
export type Values = Readonly<Record<string, string | number | null>>;
type Statement = BatchItem<"sqlite">;
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
