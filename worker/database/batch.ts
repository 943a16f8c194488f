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
import { guards } from "../../db/schema.ts";
import type { Db } from "./connect.ts";
import { isDatabaseUnavailable } from "./database-errors.ts";

/** Statements that cannot be misread: columns and answers are found by name, never by position. */

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
export const unless = (condition: SQL): SQL => sql`where (${condition}) is not 1`;

/** A statement that fails unless `condition` holds, and with it its batch. */
export const requiring = (db: Db, condition: SQL): Statement =>
  insertFrom(db, guards, { held: 0 }, unless(condition));

/** Whether a batch failed because a guard did: D1, SQLite and drizzle each wrap the constraint's name. */
export function isConflict(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return false;
  for (let at = error; at instanceof Error; at = at.cause) if (at.message.includes(CONFLICT)) return true;
  return false;
}
