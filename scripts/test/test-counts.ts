export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Of Vitest's JSON report. A test that ran in several runtimes counts once, and has failed where it failed in any of them.
 * A file that failed without a failed test in it (it did not load, or what is held against it at its end) counts as one.
 */
export function countVitest(report: unknown): Count {
  const outcomes = new Map<string, TestOutcome>();
  for (const file of (report as VitestReport).testResults) {
    for (const [test, outcome] of outcomesIn(file)) {
      const before = outcomes.get(test) ?? "skipped";
      outcomes.set(test, WORST_FIRST.find((one) => one === before || one === outcome) ?? outcome);
    }
  }
  const all = [...outcomes.values()];
  const many = (outcome: TestOutcome) => all.filter((one) => one === outcome).length;
  return { passed: many("passed"), failed: many("failed"), skipped: many("skipped") };
}

type TestOutcome = keyof Count;

/** What passed in one runtime has been tested, whichever skipped it. */
const WORST_FIRST: readonly TestOutcome[] = ["failed", "passed", "skipped"];

/** Each test of `file` under a name of its own: where several in it are called alike, the first, the second and so on. */
function outcomesIn({ name, status, assertionResults }: VitestFile): ReadonlyMap<string, TestOutcome> {
  const outcomes = new Map<string, TestOutcome>();
  const alike = new Map<string, number>();
  for (const { fullName, status } of assertionResults) {
    const nth = (alike.get(fullName) ?? 0) + 1;
    alike.set(fullName, nth);
    outcomes.set(
      `${name} ${nth} ${fullName}`,
      status === "passed" || status === "failed" ? status : "skipped",
    );
  }
  if (status === "failed" && ![...outcomes.values()].includes("failed")) outcomes.set(name, "failed");
  return outcomes;
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

interface VitestFile {
  /** Its path. */
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
}

interface VitestReport {
  readonly testResults: readonly VitestFile[];
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
