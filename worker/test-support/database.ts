import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect } from "vitest";
import { toHex, utf8 } from "../../core/encoding/bytes.ts";

/** What one table holds: how many rows, and a hash of all of them in the order they were written. */
export interface TableContents {
  readonly rows: number;
  readonly hash: string;
}

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

/** Every row of every table. */
export async function rowsIn(database: D1Database): Promise<Record<string, Record<string, unknown>[]>> {
  const tables = await tablesOf(database);
  const answers = await database.batch<Record<string, unknown>>(
    tables.map((name) => database.prepare(`select * from "${name}"`)),
  );
  return Object.fromEntries(tables.map((name, index) => [name, answers[index]?.results ?? []]));
}

/** The contents of every table: equal before and after means that nothing was written. */
export async function contentsOf(database: D1Database): Promise<Record<string, TableContents>> {
  const contents = Object.entries(await rowsIn(database)).map(async ([name, rows]) => {
    const digest = await crypto.subtle.digest("SHA-256", utf8(JSON.stringify(rows)));
    return [name, { rows: rows.length, hash: toHex(new Uint8Array(digest)) }] as const;
  });
  return Object.fromEntries(await Promise.all(contents));
}

/**
 * For a group of tests that may write nothing: compares every table once, after all of them, with what it was before. The
 * `rowsWritten` of the log lines show which test wrote.
 */
export function leavesNoTrace(): void {
  let before: Awaited<ReturnType<typeof contentsOf>>;
  beforeAll(async () => {
    before = await contentsOf(env.DB);
  });
  afterAll(async () => {
    expect(await contentsOf(env.DB)).toEqual(before);
  });
}
