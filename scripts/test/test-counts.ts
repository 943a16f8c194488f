import { stripVTControlCharacters } from "node:util";
import type { JSONReport, JSONReportSuite } from "@playwright/test/reporter";
import type { JsonTestResult, JsonTestResults } from "vitest/node";

export interface Count {
  readonly passed: number;
  /** Each with its name and the beginning of what was wrong. */
  readonly failed: readonly string[];
  readonly skipped: number;
}

/**
 * Of Vitest's JSON report. A test that ran in several runtimes counts once, and has failed where it failed in any of them.
 * A file that failed without a failed test in it (it did not load, or what is held against it at its end) counts as one.
 */
export function countVitest(report: unknown): Count {
  const outcomes = (report as JsonTestResults).testResults.flatMap(outcomesIn);
  const byTest = [...Map.groupBy(outcomes, ({ test }) => test)].map(([test, runs]) => ({
    test,
    failed: runs.find(({ status }) => status === "failed"),
    isPassed: runs.some(({ status }) => status === "passed"),
  }));
  const others = byTest.filter(({ failed }) => failed === undefined);
  // What passed in one runtime has been tested, whichever skipped it.
  const passed = others.filter(({ isPassed }) => isPassed).length;
  return {
    passed,
    failed: byTest.flatMap(({ test, failed }) => (failed === undefined ? [] : failure(test, failed.reason))),
    skipped: others.length - passed,
  };
}

/** Each test of `file` under a name of its own: where several in it are called alike, the first, the second and so on. */
function outcomesIn({ name, status: whole, message, assertionResults }: JsonTestResult) {
  const alike = new Map<string, number>();
  const outcomes = assertionResults.map(({ fullName, status, failureMessages }) => {
    const nth = (alike.get(fullName) ?? 0) + 1;
    alike.set(fullName, nth);
    const test = `${name} › ${fullName}${nth === 1 ? "" : ` (${nth})`}`;
    return { test, status, reason: failureMessages?.join("\n") };
  });
  const isWholeFile = whole === "failed" && outcomes.every(({ status }) => status !== "failed");
  return isWholeFile ? [...outcomes, { test: name, status: whole, reason: message }] : outcomes;
}

/** Of Playwright's JSON report. A test that passed only when repeated has failed; so has an error outside tests. */
export function countPlaywright(report: unknown): Count {
  const { suites, stats, errors } = report as JSONReport;
  return {
    passed: stats.expected,
    failed: [...suites.flatMap(failuresIn), ...errors.map((error) => failure("playwright", error.message))],
    skipped: stats.skipped,
  };
}

function failuresIn({ title, specs, suites = [] }: JSONReportSuite): string[] {
  const own = specs.flatMap((spec) =>
    spec.tests
      .filter(({ status }) => status === "unexpected" || status === "flaky")
      .map(({ results }) =>
        failure(spec.title, results.find(({ error }) => error !== undefined)?.error?.message),
      ),
  );
  return [...own, ...suites.flatMap(failuresIn)].map((one) => `${title} › ${one}`);
}

/** As much of a reason as says where to look: a page's HTML may follow. */
const REASON_LINES = 12;

function failure(name: string, reason = ""): string {
  const lines = stripVTControlCharacters(reason).split("\n").slice(0, REASON_LINES);
  return [name, ...lines.map((line) => `    ${line}`)].join("\n").trimEnd();
}

export function sum(counts: readonly Count[]): Count {
  return counts.reduce((a, b) => ({
    passed: a.passed + b.passed,
    failed: [...a.failed, ...b.failed],
    skipped: a.skipped + b.skipped,
  }));
}

/**
 * Seconds each part of `npm test` may take on two cores that do nothing else: the build first, the others side by side after
 * it (the checks begin with it), four minutes in all. A test that exceeds it replaces another, or is left to
 * `npm run nightly`.
 */
const BUDGETS = { build: 20, checks: 120, vitest: 220, playwright: 220 } as const;

export type Part = keyof typeof BUDGETS;

/** The time a part took beside its budget. A slow machine does not fail; it is reported. */
export function againstBudget(part: Part, seconds: number): string {
  const over = Math.round(seconds) - BUDGETS[part];
  const line = `${part.padEnd(10)} ${seconds.toFixed(0).padStart(4)} s of ${BUDGETS[part]} s`;
  return over > 0 ? `${line}   <<< OVER BUDGET by ${over} s` : line;
}
