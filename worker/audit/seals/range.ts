import type { AuditRow, AuditSeal } from "./seal.ts";

/** A sealed range of the audit log outside the database: its name, its text, and its store. */

/** Where ranges are stored: R2, or a folder. */
export interface AuditStore {
  /** Writes `text` under `name`, whole or not at all; what is already there stays as it is. */
  put(name: string, text: string): Promise<void>;
  /** The text under `name`; undefined where there is none. */
  get(name: string): Promise<string | undefined>;
}

/** A seal and its rows. */
export interface AuditRange {
  readonly seal: AuditSeal;
  readonly rows: readonly AuditRow[];
}

/** The object name of a range, by the number of its seal alone, so that `audit verify` finds it. */
export const archiveName = (seal: number): string => `audit/${String(seal).padStart(12, "0")}.ndjson`;

/** A range as text: a line for the seal, then one for each row. */
export const archiveText = ({ seal, rows }: AuditRange): string =>
  // The merge key is not part of what was sealed.
  [seal, ...rows.map((row) => ({ ...row, mergeKey: null }))]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");

/** Parses {@link archiveText}; undefined for other text. The rows are not yet verified against the seal. */
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
