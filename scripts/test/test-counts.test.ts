import { describe, expect, it } from "vitest";
import { countPlaywright, countVitest, sum } from "./test-counts.ts";

/** A Vitest report of one file: every run of it with its tests. */
const reportOf = (...runs: readonly (readonly string[])[]) => ({
  testResults: runs.map((statuses) => ({
    name: "/core/bytes.test.ts",
    status: statuses.includes("failed") ? "failed" : "passed",
    assertionResults: statuses.map((status, index) => ({ fullName: `bytes ${index}`, status })),
  })),
});

describe("counting tests of several programs", () => {
  it("takes passed, failed and skipped from a Vitest report", () => {
    const report = reportOf(["passed", "passed", "passed", "failed", "skipped", "pending", "todo"]);
    expect(countVitest(report)).toEqual({ passed: 3, failed: 1, skipped: 3 });
  });

  it("counts a test once, however many runtimes it ran in", () => {
    const report = reportOf(["passed", "passed"], ["passed", "passed"], ["passed", "skipped"]);
    expect(countVitest(report)).toEqual({ passed: 2, failed: 0, skipped: 0 });
  });

  it("counts a test as failed that failed in one runtime alone, first or last", () => {
    expect(countVitest(reportOf(["passed"], ["failed"]))).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(countVitest(reportOf(["failed"], ["passed"]))).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it("tells tests of one name in one file apart", () => {
    const assertionResults = ["passed", "failed", "passed"].map((status) => ({ fullName: "alike", status }));
    const report = { testResults: [{ name: "/a.test.ts", status: "failed", assertionResults }] };
    expect(countVitest(report)).toEqual({ passed: 2, failed: 1, skipped: 0 });
  });

  it("tells files with tests of one name apart", () => {
    const assertionResults = [{ fullName: "alike", status: "passed" }];
    const file = (name: string) => ({ name, status: "passed", assertionResults });
    expect(countVitest({ testResults: [file("/a.test.ts"), file("/b.test.ts")] }).passed).toBe(2);
  });

  it("counts a test file that does not load as one failure", () => {
    const testResults = [{ name: "/a.test.ts", status: "failed", assertionResults: [] }];
    expect(countVitest({ testResults })).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it("counts a file whose tests pass and that fails at its end as one failure", () => {
    const assertionResults = [{ fullName: "good", status: "passed" }];
    const testResults = [{ name: "/a.test.ts", status: "failed", assertionResults }];
    expect(countVitest({ testResults })).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  it("counts a flaky browser test and an error outside tests as failures", () => {
    const stats = { expected: 4, unexpected: 1, flaky: 1, skipped: 0 };
    expect(countPlaywright({ stats, errors: [{}] })).toEqual({ passed: 4, failed: 3, skipped: 0 });
  });

  it("adds the suites", () => {
    const one = { passed: 1, failed: 2, skipped: 3 };
    expect(sum([one, one])).toEqual({ passed: 2, failed: 4, skipped: 6 });
  });
});
