/** Why the disk or the database stops a start. */
type DatabaseFailureCode = "disk_full" | "disk_failed" | "database_damaged";

/** The database in its folder cannot be used. */
export class DatabaseFailure extends Error {
  override readonly name = "DatabaseFailure";
  readonly code: DatabaseFailureCode;
  constructor(code: DatabaseFailureCode, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/** What SQLite, its codes and Node write. The first that matches decides: a full disk often shows as several errors. */
const SIGNS: readonly (readonly [RegExp, DatabaseFailureCode])[] = [
  [/SQLITE_FULL|SQLITE_IOERR_SHMSIZE|database or disk is full|\bENOSPC\b|\bEDQUOT\b/, "disk_full"],
  [/SQLITE_CORRUPT|SQLITE_NOTADB|disk image is malformed|file is not a database/, "database_damaged"],
  [
    /SQLITE_IOERR|SQLITE_CANTOPEN|disk I\/O error|unable to open database file|\bEIO\b|\bEROFS\b/,
    "disk_failed",
  ],
];

/** The failure that `error`, its causes or the runtime's own `lines` show. The runtime hides SQLite's errors from callers. */
export function databaseFailureOf(
  error: unknown,
  lines: readonly string[] = [],
): DatabaseFailure | undefined {
  const text = [...lines, ...messagesOf(error)].join("\n");
  const code = SIGNS.find(([sign]) => sign.test(text))?.[1];
  return code === undefined ? undefined : new DatabaseFailure(code, { cause: error });
}

const messagesOf = (error: unknown): readonly string[] =>
  error instanceof Error ? [error.message, ...messagesOf(error.cause)] : [];
