import type { D1Database } from "@cloudflare/workers-types";
import type { Row } from "./show.ts";

/** Statements as text: wrangler takes no parameters, and this machine's database gets the same. */

/** `sql` with each `?` replaced by its value. The builder's texts hold no literals, so every `?` is a placeholder. */
export function inlined(sql: string, values: readonly unknown[]): string {
  let next = 0;
  const text = sql.replaceAll("?", () => literal(values[next++]));
  if (next !== values.length) throw new TypeError("as many values as placeholders");
  return text;
}

/** A value as SQLite reads it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value !== "string") throw new TypeError("not a value of SQL");
  if (value.includes("\0")) throw new TypeError("a text with a zero character");
  return `'${value.replaceAll("'", "''")}'`;
}

/** What a statement found; D1 counts beside it what it read. */
interface Answer {
  readonly results?: readonly Row[];
}

/** Runs statements as one transaction. */
export type RunText = (statements: readonly string[]) => Promise<readonly Answer[]>;

/** Something that takes SQL as text, in the shape of a D1 binding, so that drizzle can build for it. */
export function d1OverText(run: RunText): D1Database {
  const batch = async (statements: readonly { readonly text: string }[]) => {
    const answers = await run(statements.map(({ text }) => text));
    return statements.map((_, index) => ({ results: [], success: true, meta: {}, ...answers[index] }));
  };
  const prepare = (sql: string, values: readonly unknown[] = []) => {
    const all = async () => (await batch([statement]))[0];
    const statement = {
      get text() {
        return inlined(sql, values);
      },
      bind: (...bound: unknown[]) => prepare(sql, bound),
      all,
      run: all,
      raw: async () => (await all())?.results.map((row) => Object.values(row)),
    };
    return statement;
  };
  return { prepare, batch } as unknown as D1Database;
}
