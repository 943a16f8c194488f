import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { UsageError } from "../../kit/command-line.ts";
import { importDataKey } from "../../worker/secrets/sealed.ts";

/** What is in a file of JSON. Throws UsageError without a piece of its text, which may be a secret. */
export function readJson(path: string): unknown {
  const text = readFileSync(path, "utf8");
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not JSON`);
  }
}

/**
 * The secrets of a deployment as one file: JSON, as `wrangler secret bulk` takes it, or the lines of `.dev.vars`. It is
 * the operator's copy; the Worker's own cannot be read back.
 */
export type DeploymentSecrets = Readonly<Record<string, string>>;

export function readSecrets(path: string): DeploymentSecrets {
  if (!existsSync(path)) throw new UsageError(`${path} is not there: --secrets names the file`);
  const text = readFileSync(path, "utf8");
  const values: unknown = text.trimStart().startsWith("{") ? readJson(path) : parseEnv(text);
  return values as DeploymentSecrets;
}

/** Writes `path` for its owner only; `isNew` refuses a file that is there. */
export function writePrivate(path: string, text: string, { isNew }: { readonly isNew: boolean }): void {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: isNew ? "wx" : "w" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new UsageError(`${path} is there already; move it away first`);
  }
}

export function secretNamed(secrets: DeploymentSecrets, name: string): string {
  const value = secrets[name];
  if (value === undefined) throw new UsageError(`the secrets have no ${name}`);
  return value;
}

/** PEPPER of `secrets`, which hashes are made with. */
export const pepperIn = (secrets: DeploymentSecrets) => fromBase64Url(secretNamed(secrets, "PEPPER"));

/** DATA_KEY of `secrets`; what was sealed by the one before opens too, while that is there. */
export function dataKeyIn(secrets: DeploymentSecrets) {
  const before = secrets.DATA_KEY_BEFORE;
  return importDataKey(
    fromBase64Url(secretNamed(secrets, "DATA_KEY")),
    before === undefined ? undefined : fromBase64Url(before),
  );
}

/** A row of a list, by the names of its header, and its line in the file. */
export interface CsvRow {
  readonly line: number;
  readonly row: Readonly<Record<string, string>>;
}

/** The headers that a list may have. Throws UsageError, which names them, for any other. */
export type Header = readonly (readonly string[])[];

/**
 * The rows of the list at `path`. The first line names the columns, empty ones do not count. Nothing in our lists is worth
 * a quoting rule: a line with a quote is refused.
 */
export function readCsv(path: string, header: Header): readonly CsvRow[] {
  const lines = readFileSync(path, "utf8")
    .replace(BYTE_ORDER_MARK, "")
    .split(/\r?\n/)
    .map((text, index) => ({ line: index + 1, text, cells: text.split(",").map((cell) => cell.trim()) }))
    .filter(({ text }) => text.trim() !== "");
  const names = lines[0] && requireHeader(lines[0].cells, header);
  if (names === undefined || lines.length === 1)
    throw new UsageError(`the list is empty: the header ${wanted(header)}, then a line for each`);
  return lines.slice(1).map(({ line, text, cells }) => {
    if (text.includes('"')) throw new UsageError(`line ${line} has a quote: values stand without`);
    if (cells.length !== names.length)
      throw new UsageError(`line ${line} has ${cells.length} values, and the header ${names.length}`);
    return { line, row: Object.fromEntries(names.map((name, column) => [name, cells[column] ?? ""])) };
  });
}

/** Spreadsheets begin a file with one. */
const BYTE_ORDER_MARK = /^\uFEFF/;

const wanted = (header: Header) => header.map((names) => `\`${names.join(",")}\``).join(" or ");

/** Columns may stand in any order. */
function requireHeader(names: readonly string[], header: Header): readonly string[] {
  const isOne = (known: readonly string[]) => known.toSorted().join() === names.toSorted().join();
  if (header.some(isOne)) return names;
  throw new UsageError(`the first line is no header: it must be ${wanted(header)}`);
}
