import { sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Db } from "../../../worker/database/connect.ts";

type Statement = BatchItem<"sqlite">;

const TABLES = sql`select name from sqlite_master where type = 'table'
  and name not like 'sqlite!_%' escape '!' and name not like '!_cf!_%' escape '!'`;

/**
 * Copies every table of `db` beside itself; the result puts the rows back as they are now. A copy within the database
 * takes milliseconds, where another database takes a runtime of its own.
 */
export async function restorable(db: Db): Promise<() => Promise<void>> {
  const tables = (await db.all<{ readonly name: string }>(TABLES)).map(({ name }) => name);
  await inOneBatch(db, tables, (name) => [`create table "copy of ${name}" as select * from "${name}"`]);
  const compare = sql.raw(`select ${tables.map(comparison).join(", ")}`);
  return async () => {
    const [found = {}] = await db.all<Readonly<Record<string, Found>>>(compare);
    if (!Object.values(found).includes("changed")) return;
    // All that hold rows, because a delete may reach rows of a table that is as it was.
    const filled = tables.filter((name) => found[name] !== "empty");
    await inOneBatch(db, filled, (name) => [
      `delete from "${name}"`,
      `insert into "${name}" select * from "copy of ${name}"`,
    ]);
  };
}

type Found = "empty" | "changed" | "same";

/** A column, named as the table, that says how its rows compare with their copy: see {@link Found}. */
function comparison(name: string): string {
  const [now, then] = [`select * from "${name}"`, `select * from "copy of ${name}"`];
  return `case when not exists(${now}) and not exists(${then}) then 'empty'
    when exists(${now} except ${then}) or exists(${then} except ${now}) then 'changed'
    else 'same' end as "${name}"`;
}

/** All first statements of `names`, then all second ones. */
async function inOneBatch(db: Db, names: readonly string[], texts: (name: string) => readonly string[]) {
  const pairs = names.map(texts);
  const statements = [0, 1].flatMap((index) => pairs.flatMap((pair) => pair[index] ?? []));
  // Rows refer to each other: check the references once all are back.
  const deferred: Statement = db.run(sql`pragma defer_foreign_keys = on`);
  await db.batch([deferred, ...statements.map((text) => db.run(sql.raw(text)))]);
}
