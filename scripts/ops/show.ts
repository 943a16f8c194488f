import { UsageError } from "../../kit/command-line.ts";
import { MigrationChanged } from "../serve/migrate.ts";

/** What a command found, for people or for programs. */

/** One thing found; its members are named as programs know them. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows, or one. */
export type Found = Row | readonly Row[];

/** One line per row, its values with tabs between; of one row alone, a line per member. */
export const asLines = (found: Found): string[] =>
  Array.isArray(found)
    ? found.map((row: Row) => Object.values(row).map(asText).join("\t"))
    : asRecord(found as Row);

/** Lists within stand below their name. */
function asRecord(row: Row, indent = ""): string[] {
  return Object.entries(row).flatMap(([name, value]) => {
    if (Array.isArray(value) && value.some((item) => typeof item === "object")) {
      return [`${indent}${name}:`, ...value.flatMap((item: Row) => asRecord(item, `${indent}  `))];
    }
    return [`${indent}${name}: ${asText(value)}`];
  });
}

export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(asText).join(",");
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A time of the database, for people and programs. */
export const at = (milliseconds: number | null | undefined): string | null =>
  milliseconds === null || milliseconds === undefined ? null : new Date(milliseconds).toISOString();

/** What a person reads of a command that failed: one sentence, without the statement, which holds hashes. */
export function sentenceOf(error: unknown): string {
  const root = rootOf(error);
  if (root instanceof MigrationChanged)
    return `the database was made by another version of ${root.migration}, or by wrangler alone: delete the folder of this machine's database, or choose another (--state)`;
  return root instanceof UsageError ? root.message : refusedByDatabase(textOf(root));
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const rootOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error;

/** By the columns that SQLite names. */
const TAKEN: Readonly<Record<string, string>> = {
  "clients.id": "there is a client with this id already: `client set` changes it",
  "clients.key_hash": "another client has this key",
  "webhooks.id": "there is a webhook with this id already: `webhook remove` takes it away",
};

function refusedByDatabase(text: string): string {
  const [, columns] = /UNIQUE constraint failed: ([\w., ]+)/.exec(text) ?? [];
  if (columns !== undefined) {
    const known = Object.entries(TAKEN).find(([column]) => columns.startsWith(column));
    return known?.[1] ?? `there is one already with this ${columns}`;
  }
  if (/FOREIGN KEY constraint failed/.test(text))
    return "it names a client that does not exist: `client list`";
  const [, table] = /no such table: (\w+)/.exec(text) ?? [];
  if (table !== undefined) return `the database has no table ${table}: apply the migrations first`;
  const [, check] = /CHECK constraint failed: (\w+)/.exec(text) ?? [];
  return check === undefined ? text : `a value is out of range (${check})`;
}

/** What `doing` prints, all of it also where it fails. */
export async function saidBy(
  doing: (print: (line: string) => void) => Promise<void>,
): Promise<readonly string[]> {
  const lines: string[] = [];
  await doing((line) => lines.push(line)).catch((error: Error) => {
    throw new UsageError([...lines, error.message].join("\n"));
  });
  return lines;
}
