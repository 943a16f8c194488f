import type { D1Database } from "@cloudflare/workers-types";
import { inlined } from "./sql-text.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Runs statements as one transaction; the rows of each. */
export type RunText = (statements: readonly string[]) => Promise<readonly (readonly Row[])[]>;

/** Something that takes SQL as text, in the shape of a D1 binding, so that drizzle can build for it. */
export function d1OverText(run: RunText): D1Database {
  const batch = async (statements: readonly TextStatement[]) => {
    const answers = await run(statements.map(({ text }) => text));
    return statements.map((_, index) => resultOf(answers[index] ?? []));
  };
  return { prepare: (sql: string) => new TextStatement(sql, [], batch), batch } as unknown as D1Database;
}

type Batch = (statements: readonly TextStatement[]) => Promise<ReturnType<typeof resultOf>[]>;

const resultOf = (results: readonly Row[]) => ({ results, success: true as const, meta: {} });

class TextStatement {
  readonly #sql: string;
  readonly #values: readonly unknown[];
  readonly #batch: Batch;
  constructor(sql: string, values: readonly unknown[], batch: Batch) {
    this.#sql = sql;
    this.#values = values;
    this.#batch = batch;
  }

  get text(): string {
    return inlined(this.#sql, this.#values);
  }
  bind(...values: unknown[]): TextStatement {
    return new TextStatement(this.#sql, values, this.#batch);
  }
  async all() {
    const [result = resultOf([])] = await this.#batch([this]);
    return result;
  }
  run() {
    return this.all();
  }
  async raw() {
    return (await this.all()).results.map((row) => Object.values(row));
  }
}
