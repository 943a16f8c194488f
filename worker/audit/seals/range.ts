import type { AuditRow, AuditSeal } from "./seal.ts";

/** A sealed range of the audit log outside the database: its name, its text, and its store. */

/** Where ranges are stored: R2, or a folder. */
export interface AuditStore {
  /** Writes `text` under `name`, whole or not at all; what is already there stays as it is. */
  put(name: string, text: string): Promise<void>;
  /** Undefined where there is nothing of that name. */
  get(name: string): Promise<string | undefined>;
}

/** A seal and its rows. */
export interface AuditRange {
  readonly seal: AuditSeal;
  readonly rows: readonly AuditRow[];
}

/** The name of a range: `audit verify` finds them by the number of the seal alone. */
export const archiveName = (seal: number): string => `audit/${String(seal).padStart(12, "0")}.ndjson`;

/** A range as text: a line for the seal, then one for each row. */
export const archiveText = ({ seal, rows }: AuditRange): string =>
  // What was merged by which key is no part of what was sealed.
  [seal, ...rows.map((row) => ({ ...row, mergeKey: null }))]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");

/** Reads {@link archiveText}; undefined for what is none. Whether it is true is for the seal to say. */
export function readArchiveText(text: string | undefined): AuditRange | undefined {
  try {
    const [seal, ...rows] = (text ?? "")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    return { seal: seal as AuditSeal, rows: rows as AuditRow[] };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
