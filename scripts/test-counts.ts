export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Of Vitest's JSON report. A file that does not load fails without a test in it. */
export function countVitest(report: unknown): Count {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } =
    report as VitestReport;
  const broken = testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  return {
    passed: numPassedTests,
    failed: numFailedTests + broken.length,
    skipped: numPendingTests + numTodoTests,
  };
}

/** Of Playwright's JSON report. A test that passed only when repeated has failed; so has an error outside tests. */
export function countPlaywright(report: unknown): Count {
  const { stats, errors } = report as PlaywrightReport;
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    skipped: stats.skipped,
  };
}

export function sum(counts: readonly Count[]): Count {
  return counts.reduce((a, b) => ({
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  }));
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

interface PlaywrightReport {
  readonly stats: {
    readonly expected: number;
    readonly unexpected: number;
    readonly flaky: number;
    readonly skipped: number;
  };
  readonly errors: readonly unknown[];
}
