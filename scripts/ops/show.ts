/** What a command found, for people or for programs. */

/** One thing found; its members are named as programs know them. */
export type Row = Readonly<Record<string, unknown>>;

/** One line per row, its values with tabs between. */
export const asLines = (rows: readonly Row[]): string[] =>
  rows.map((row) => Object.values(row).map(inWords).join("\t"));

/** One line per member: lists within stand below their name. */
export function asRecord(row: Row, indent = ""): string[] {
  return Object.entries(row).flatMap(([name, value]) => {
    if (Array.isArray(value) && value.some((item) => typeof item === "object")) {
      return [`${indent}${name}:`, ...value.flatMap((item: Row) => asRecord(item, `${indent}  `))];
    }
    return [`${indent}${name}: ${inWords(value)}`];
  });
}

function inWords(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(inWords).join(",");
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A time of the database, for people and programs. */
export const at = (milliseconds: number | null | undefined): string | null =>
  milliseconds === null || milliseconds === undefined ? null : new Date(milliseconds).toISOString();
