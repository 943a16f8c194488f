import type { D1Database } from "@cloudflare/workers-types";

/** A statement or a part of one, with its values. */
export interface Sql {
  readonly query: string;
  readonly values: readonly unknown[];
}

export function sql(texts: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  const parts = values.map((value) =>
    value instanceof Object && "query" in value ? (value as Sql) : { query: "?", values: [value] },
  );
  const query = texts.map((text, n) => text + (parts[n]?.query ?? "")).join("");
  return { query, values: parts.flatMap((part) => part.values) };
}

/** SQL text as it is. */
export const raw = (query: string): Sql => ({ query, values: [] });

export const runAll = ({ DB }: { readonly DB: D1Database }, statements: readonly Sql[]) =>
  DB.batch<Readonly<Record<string, unknown>>>(
    statements.map(({ query, values }) => DB.prepare(query).bind(...values)),
  );
