/**
 * Classifies what D1 throws, in one place. D1 has no error classes and no codes of its own: only the SQLite
 * result code in the text separates a wrong statement, which is our bug, from a database that cannot be
 * reached, is overloaded or was reset, which passes.
 */

/** The database did not answer; asking again later may help. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
  constructor(cause: unknown) {
    super("the database did not answer", { cause });
  }
}

/**
 * Result codes that blame the statement (sqlite.org/rescode.html), and D1's messages about wrong bindings and
 * columns.
 */
const STATEMENT_FAULT =
  /\bSQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|MISUSE|TOOBIG|AUTH)|\bD1_(TYPE_ERROR|COLUMN_NOTFOUND|EXEC_ERROR)|Wrong number of parameter/;

/** `error` as D1 threw it, or {@link DatabaseUnavailable} where the statement is not to blame. */
export function databaseError(error: unknown): unknown {
  const isOurs = error instanceof TypeError || STATEMENT_FAULT.test(textOf(error));
  return isOurs ? error : new DatabaseUnavailable(error);
}

/** Whether `error` or its cause is a database out of reach: drizzle wraps what the binding throws. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof DatabaseUnavailable) return true;
  }
  return false;
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} ${textOf(error.cause)}`;
}
