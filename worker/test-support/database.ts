import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect } from "vitest";

const TABLES = `select name from sqlite_master where type = 'table'
  and name not like 'sqlite!_%' escape '!' and name not like '!_cf!_%' escape '!' order by name`;

export const tablesOf = async (database: D1Database) =>
  (await database.prepare(TABLES).all<{ name: string }>()).results.map(({ name }) => name);

/** Drops every table: for the next file in this runtime, whose migrations begin with nothing. */
export const dropTables = (database: D1Database) => ofEachTable(database, (name) => `drop table "${name}"`);

/** Deletes every row but the migrations' ledger. */
export const emptyTables = (database: D1Database) =>
  ofEachTable(database, (name) => `delete from "${name}" where '${name}' <> 'd1_migrations'`);

async function ofEachTable(database: D1Database, statement: (name: string) => string): Promise<void> {
  const texts = ["pragma defer_foreign_keys = on", ...(await tablesOf(database)).map(statement)];
  await database.batch(texts.map((text) => database.prepare(text)));
}

/** Every row of every table: equal before and after means that nothing was written. */
export async function rowsIn(database: D1Database): Promise<Record<string, Record<string, unknown>[]>> {
  const tables = await tablesOf(database);
  const answers = await database.batch<Record<string, unknown>>(
    tables.map((name) => database.prepare(`select * from "${name}"`)),
  );
  return Object.fromEntries(tables.map((name, index) => [name, answers[index]?.results ?? []]));
}

/**
 * For a group of tests that may write nothing: compares every table once, after all of them, with what it was before. The
 * `rowsWritten` of the log lines show which test wrote.
 */
export function leavesNoTrace(): void {
  let before: Awaited<ReturnType<typeof rowsIn>>;
  beforeAll(async () => {
    before = await rowsIn(env.DB);
  });
  afterAll(async () => {
    expect(await rowsIn(env.DB)).toEqual(before);
  });
}
