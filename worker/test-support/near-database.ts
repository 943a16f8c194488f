import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { rowsIn } from "./database.ts";

/**
 * D1 without its wire. D1 is the SQLite of a Durable Object, with a Worker and two times JSON before it, which
 * prepares each statement again: nine tenths of what a request takes. Here the same engine runs beside the service, and
 * keeps its prepared statements. For tests that send ten thousand requests; everything else goes over the wire.
 */

type Value = string | number | null | ArrayBuffer;
interface Prepared {
  readonly query: string;
  readonly values: readonly Value[];
}

const OWN = "sql is not null and name not like 'sqlite!_%' escape '!' and name not like '!_cf!_%' escape '!'";

/** Runs `use` beside a copy of D1: its tables, indexes and rows. `reset` makes the rows again those of the copy. */
export async function besideDatabase<T>(
  use: (database: D1Database, reset: () => void) => Promise<T>,
): Promise<T> {
  const { results: schema } = await env.DB.prepare(
    `select sql from sqlite_master where ${OWN} order by type = 'table' desc`,
  ).all<{ sql: string }>();
  const rows = Object.entries(await rowsIn(env.DB));
  const statements = [
    { query: "pragma defer_foreign_keys = on", values: [] },
    ...rows.map(([table]) => ({ query: `delete from "${table}"`, values: [] })),
    ...rows.flatMap(([table, all]) =>
      all.map((row) => insertOf(table, row as Readonly<Record<string, Value>>)),
    ),
  ];
  const near = env.NEAR_STORAGE.get(env.NEAR_STORAGE.newUniqueId());
  return runInDurableObject(near, async (_, { storage }) => {
    const execute = ({ query, values }: Prepared) => storage.sql.exec(query, ...values);
    const reset = () => storage.transactionSync(() => statements.forEach(execute));
    for (const { sql: query } of schema) execute({ query, values: [] });
    reset();
    return use(nearDatabase(storage), reset);
  });
}

function insertOf(table: string, row: Readonly<Record<string, Value>>): Prepared {
  const names = Object.keys(row);
  const columns = names.map((name) => `"${name}"`).join(", ");
  const query = `insert into "${table}" (${columns}) values (${names.map(() => "?").join(", ")})`;
  return { query, values: Object.values(row) };
}

/** As much of D1's binding over `storage` as drizzle and the service use. */
function nearDatabase(storage: DurableObjectStorage): D1Database {
  const run = ({ query, values }: Prepared) => {
    const cursor = storage.sql.exec(query, ...values);
    const results = cursor.toArray();
    return { success: true, results, meta: { rows_read: cursor.rowsRead, rows_written: cursor.rowsWritten } };
  };
  const prepare = (query: string, values: readonly Value[] = []) => ({
    query,
    values,
    bind: (...given: (Value | boolean)[]) => prepare(query, given.map(numbered)),
    all: async () => run({ query, values }),
    run: async () => run({ query, values }),
    raw: async () => [...storage.sql.exec(query, ...values).raw()],
  });
  const database = {
    prepare: (query: string) => prepare(query),
    batch: async (statements: readonly Prepared[]) => storage.transactionSync(() => statements.map(run)),
    getBookmark: () => null,
    withSession: () => database,
  };
  return database as unknown as D1Database;
}

/** D1 takes booleans, SQLite does not. */
const numbered = (value: Value | boolean): Value => (typeof value === "boolean" ? Number(value) : value);
