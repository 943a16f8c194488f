import { getTableColumns, type SQL } from "drizzle-orm";
import { getTableConfig, type SQLiteTable, type SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { type Options, UsageError, type ValuesOf } from "../../kit/command-line.ts";
import type { Db } from "../../worker/database/connect.ts";
import { type Command, command } from "./command.ts";
import { asText, at, type Row } from "./show.ts";

/** Commands over the rows of one table: they differ in columns alone. */

/** The names of a table's primary key. */
export function keyOf(table: SQLiteTable): readonly string[] {
  const [composite] = getTableConfig(table).primaryKeys;
  const columns = Object.entries(getTableColumns(table));
  return columns.flatMap(([name, one]) => (one.primary || composite?.columns.includes(one) ? [name] : []));
}

/** Puts a row in, or into the place of the one with its key. */
export const putting = <Table extends SQLiteTable>(db: Db, table: Table, row: Table["$inferInsert"]) => {
  const columns = getTableColumns<SQLiteTable>(table);
  const target = keyOf(table).flatMap((name) => columns[name] ?? []);
  return db
    .insert(table)
    .values(row)
    .onConflictDoUpdate({ target, set: row as SQLiteUpdateSetSource<Table> });
};

/** These columns of a row, as people and programs read them. */
export const columnsOf = <Name extends string>(
  row: Readonly<Record<Name, unknown>>,
  names: readonly Name[],
) =>
  Object.fromEntries(
    names.map((name) => [name, name.endsWith("At") ? at(row[name] as number | null) : row[name]]),
  );

/** A command that shows these columns of every row, in the order of its key. */
export const listing = <Table extends SQLiteTable>(
  summary: string,
  table: Table,
  names: readonly (keyof Table["$inferSelect"] & string)[],
): Command => ({
  summary,
  async run(_values, { db, show }) {
    const columns = getTableColumns<SQLiteTable>(table);
    const order = keyOf(table).flatMap((name) => columns[name] ?? []);
    const rows = await db
      .select()
      .from(table as SQLiteTable)
      .orderBy(...order);
    show(rows.map((row) => columnsOf(row as Table["$inferSelect"], names)));
  },
});

/** The rows of `table`, called `kind`; `key` are the options that name one, `which` its condition. */
export function rowsOf<Table extends SQLiteTable, const Key extends Options>(
  kind: string,
  table: Table,
  key: Key,
  which: (named: ValuesOf<Key>) => SQL | undefined,
) {
  type Found = Table["$inferSelect"];
  const from: SQLiteTable = table;
  const nameOf = (named: ValuesOf<Key>) => `${kind} ${asText((named as Row)[Object.keys(key).at(-1) ?? ""])}`;

  /** Throws UsageError: nothing found would be taken for an answer. */
  function found<One>([row]: readonly One[], named: ValuesOf<Key>): One {
    if (row === undefined) throw new UsageError(`no ${nameOf(named)}`);
    return row;
  }
  const find = async (db: Db, named: ValuesOf<Key>): Promise<Found> =>
    found(await db.select().from(from).where(which(named)), named);
  const change = async (db: Db, named: ValuesOf<Key>, set: SQLiteUpdateSetSource<Table>) =>
    found(await db.update(table).set(set).where(which(named)).returning(), named);

  return {
    /** The row that `named` names. Throws UsageError where there is none, as `change` does. */
    find,
    change,
    changing: <const More extends Options>(
      summary: string,
      options: More,
      setOf: (values: ValuesOf<More>) => SQLiteUpdateSetSource<Table>,
    ) =>
      command<Key & More>({
        summary,
        options: { ...key, ...options },
        async run(values, { db, print }) {
          const set = setOf(values as ValuesOf<More>);
          await change(db, values as ValuesOf<Key>, set);
          const changed = Object.entries(set).map(([name, value]) => `${name} ${asText(value) || "none"}`);
          print(`${nameOf(values as ValuesOf<Key>)}: ${changed.join(", ")}`);
        },
      }),
    removing: (summary: string) =>
      command({
        summary,
        options: key,
        async run(named, { db, print }) {
          found(await db.delete(from).where(which(named)).returning(), named);
          print(`${nameOf(named)}: removed`);
        },
      }),
  };
}
