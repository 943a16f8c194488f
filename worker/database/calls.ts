/** What the database costs a request or a run. */

/** Calls and statements, the rows they cost, and the time spent waiting for them. */
export interface D1Calls {
  count: number;
  /** Those of them of requests whose facts had changed before their commit ({@link countRetry}). */
  again: number;
  statements: number;
  milliseconds: number;
  /** Rows of tables and indexes touched, as D1 bills them. */
  rowsRead: number;
  rowsWritten: number;
}

export const noCalls = (): D1Calls => ({
  count: 0,
  again: 0,
  statements: 0,
  milliseconds: 0,
  rowsRead: 0,
  rowsWritten: 0,
});

/** The members of a log line about these calls. */
export const countsOf = ({ count, again, statements, rowsRead, rowsWritten }: D1Calls) => ({
  calls: count,
  ...(again > 0 && { again }),
  statements,
  rowsRead,
  rowsWritten,
});

/** The doubles of a data point; docs/operations.md has queries over them. */
export const doublesOf = (milliseconds: number, calls: D1Calls): number[] => [
  milliseconds,
  calls.count,
  calls.statements,
  calls.milliseconds,
  calls.rowsRead,
  calls.rowsWritten,
  calls.again,
];
