import { tablesOf } from "./database.ts";

/**
 * Records every statement that the service sends in a test file, and asks SQLite for its query plan. A statement that
 * scans a table costs more with every row, so a single one fails its test file.
 */

const statements = new Set<string>();
/** Counts the files of this runtime. */
let file = 0;

/**
 * `binding`, with the text of every statement prepared through it remembered, until its test file is over: a request may still
 * work after its answer, and would find the next file's rows.
 */
export function recorded(binding: D1Database): D1Database {
  const own = file;
  const preparedBy = (target: D1Database | D1DatabaseSession) => (query: string) => {
    if (own !== file) throw new Error("the test file of this database is over");
    statements.add(query);
    return target.prepare(query);
  };
  const withSession = (constraint?: string) => {
    const session = binding.withSession(constraint);
    return { ...methodsOf(session), prepare: preparedBy(session) };
  };
  return { ...methodsOf(binding), prepare: preparedBy(binding), withSession } as unknown as D1Database;
}

/** What D1 keeps on its prototype, callable from another object. */
function methodsOf(target: D1Database | D1DatabaseSession) {
  const names = ["batch", "exec", "dump", "getBookmark"] as const;
  const methods = names.flatMap((name) => {
    const method = (target as unknown as Record<string, unknown>)[name];
    return typeof method === "function" ? [[name, method.bind(target)] as const] : [];
  });
  return Object.fromEntries(methods) as Record<string, unknown>;
}

/** A statement and the tables it would read from end to end. */
export interface Scan {
  readonly query: string;
  readonly plan: readonly string[];
}

/** The statements recorded so far that scan a table. */
export const scansOf = (binding: D1Database): Promise<Scan[]> => scansAmong(binding, statements);

/** For the next file in this runtime. */
export function forgetStatements(): void {
  statements.clear();
  file++;
}

/** How many different statements were recorded. */
export const recordedCount = (): number => statements.size;

/** Those of `queries` that scan a table of `binding`. */
export async function scansAmong(binding: D1Database, queries: Iterable<string>): Promise<Scan[]> {
  const tables = new Set(await tablesOf(binding));
  const asked = [...queries];
  if (asked.length === 0) return [];
  const plans = await binding.batch<{ detail: string }>(asked.map((query) => explained(binding, query)));
  return plans.flatMap(({ results }, index) => {
    const plan = results.map(({ detail }) => detail).filter((detail) => scansTable(detail, tables));
    return plan.length === 0 ? [] : [{ query: asked[index] ?? "", plan }];
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
