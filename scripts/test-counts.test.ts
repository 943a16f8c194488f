import { describe, expect, it } from "vitest";
import { countPlaywright, countVitest, sum } from "./test-counts.ts";

const vitest = { numPassedTests: 3, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 };

describe("counting tests of several programs", () => {
  it("takes passed, failed and skipped from a Vitest report", () => {
    expect(countVitest({ ...vitest, testResults: [] })).toEqual({ passed: 3, failed: 1, skipped: 3 });
  });

  it("counts a test file that does not load as one failure", () => {
    const testResults = [{ status: "failed", assertionResults: [] }];
    expect(countVitest({ ...vitest, testResults }).failed).toBe(2);
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
