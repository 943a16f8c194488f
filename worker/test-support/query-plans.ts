import { tablesOf } from "./database.ts";
import { guardedDatabase } from "./guarded-database.ts";

/**
 * Records every statement that the service sends in a test file, and asks SQLite for its query plan. A statement that
 * scans a table costs more with every row, so a single one fails its test file.
 */

const statements = new Set<string>();
/** Counts the files of this runtime. */
let file = 0;

/**
 * `binding`, with the text of every statement that goes through it remembered, until its test file is over: a request may
 * still work after its answer, and would find the next file's rows.
 */
export function recorded(binding: D1Database): D1Database {
  const own = file;
  return guardedDatabase(binding, (texts) => {
    if (own !== file) throw new Error("the test file of this database is over");
    for (const text of texts) statements.add(text);
  });
}

/** For the next file in this runtime. */
export function forgetStatements(): void {
  statements.clear();
  file++;
}

/** Those of the statements recorded so far that scan a table of `binding`, each with its plan. */
export async function scansOf(binding: D1Database, queries: Iterable<string> = statements) {
  const tables = new Set(await tablesOf(binding));
  const asked = [...queries];
  if (asked.length === 0) return [];
  const plans = await binding.batch<{ detail: string }>(asked.map((query) => explained(binding, query)));
  return plans.flatMap(({ results }, index) => {
    const scans = results.map(({ detail }) => detail).filter((detail) => scansTable(detail, tables));
    return scans.map((scan) => `${scan}: ${asked[index]}`);
  });
}

/** With nothing in the place of its values: they change no plan. */
function explained(binding: D1Database, query: string): D1PreparedStatement {
  const variables = query.match(/\?\d*/g) ?? [];
  // Numbered ones (`?1`) may occur many times.
  const highest = Math.max(0, ...variables.map((variable) => Number(variable.slice(1))));
  const nothing = Array<null>(highest || variables.length).fill(null);
  return binding.prepare(`explain query plan ${query}`).bind(...nothing);
}

/** One row for each airline that has licence plates to give: its size is no user's. */
const SMALL = "plate_ranges";

/** `SCAN locks` and `SCAN locks USING INDEX …` read all of it; constant rows, subqueries and json_each are no tables. */
function scansTable(detail: string, tables: ReadonlySet<string>): boolean {
  const [, table = ""] = /^SCAN (\w+)/.exec(detail) ?? [];
  return tables.has(table) && table !== SMALL;
}
