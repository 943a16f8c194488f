/** Statements as text, for places that take no parameters: what is printed, and what wrangler is given. */

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
