import { describe, expect, it } from "vitest";
import { againstBudget, countPlaywright, countVitest, sum } from "./test-counts.ts";

/** A Vitest report of one file: every run of it with its tests. */
const reportOf = (...runs: readonly (readonly string[])[]) => ({
  testResults: runs.map((statuses) => ({
    name: "/core/bytes.test.ts",
    status: statuses.includes("failed") ? "failed" : "passed",
    assertionResults: statuses.map((status, index) => ({
      fullName: `bytes ${index}`,
      status,
      failureMessages: status === "failed" ? ["AssertionError: 1 is not 2"] : [],
    })),
  })),
});

describe("counting tests of several programs", () => {
  it("takes passed, failed and skipped from a Vitest report", () => {
    const report = reportOf(["passed", "passed", "passed", "failed", "skipped", "pending", "todo"]);
    expect(countVitest(report)).toEqual({
      passed: 3,
      failed: ["/core/bytes.test.ts › bytes 3\n    AssertionError: 1 is not 2"],
      skipped: 3,
    });
  });

  it("counts a test once, however many runtimes it ran in", () => {
    const report = reportOf(["passed", "passed"], ["passed", "passed"], ["passed", "skipped"]);
    expect(countVitest(report)).toEqual({ passed: 2, failed: [], skipped: 0 });
  });

  it("counts a test as failed that failed in one runtime alone, first or last", () => {
    const failed = ["/core/bytes.test.ts › bytes 0\n    AssertionError: 1 is not 2"];
    expect(countVitest(reportOf(["passed"], ["failed"]))).toEqual({ passed: 0, failed, skipped: 0 });
    expect(countVitest(reportOf(["failed"], ["passed"]))).toEqual({ passed: 0, failed, skipped: 0 });
  });

  it("distinguishes tests of one name in one file", () => {
    const assertionResults = ["passed", "failed", "passed"].map((status) => ({ fullName: "alike", status }));
    const report = { testResults: [{ name: "/a.test.ts", status: "failed", assertionResults }] };
    expect(countVitest(report)).toEqual({ passed: 2, failed: ["/a.test.ts › alike (2)"], skipped: 0 });
  });

  it("distinguishes files with tests of one name", () => {
    const assertionResults = [{ fullName: "alike", status: "passed" }];
    const file = (name: string) => ({ name, status: "passed", assertionResults });
    expect(countVitest({ testResults: [file("/a.test.ts"), file("/b.test.ts")] }).passed).toBe(2);
  });

  it("counts a test file that does not load as one failure", () => {
    const testResults = [
      { name: "/a.test.ts", status: "failed", message: "SyntaxError", assertionResults: [] },
    ];
    expect(countVitest({ testResults })).toEqual({
      passed: 0,
      failed: ["/a.test.ts\n    SyntaxError"],
      skipped: 0,
    });
  });

  it("counts a file whose tests pass and that fails at its end as one failure", () => {
    const assertionResults = [{ fullName: "good", status: "passed" }];
    const testResults = [{ name: "/a.test.ts", status: "failed", assertionResults }];
    expect(countVitest({ testResults })).toEqual({ passed: 1, failed: ["/a.test.ts"], skipped: 0 });
  });

  it("counts a flaky browser test and an error outside tests as failures", () => {
    const spec = (title: string, status: string, message?: string) => ({
      title,
      tests: [{ status, results: [{ error: { message } }, {}] }],
    });
    const inner = {
      title: "in en",
      specs: [spec("a click", "flaky", "\u001b[31mhidden\u001b[39m\nlocator('html')")],
    };
    const specs = [spec("a page", "unexpected"), spec("a tag", "expected")];
    const suites = [{ title: "tap.spec.ts", specs, suites: [inner] }];
    const errors = [{ message: "no browser" }];
    expect(countPlaywright({ suites, stats: { expected: 4, skipped: 0 }, errors })).toEqual({
      passed: 4,
      failed: [
        "tap.spec.ts › a page",
        "tap.spec.ts › in en › a click\n    hidden\n    locator('html')",
        "playwright\n    no browser",
      ],
      skipped: 0,
    });
  });

  it("shows the beginning of a long reason", () => {
    const message = Array.from({ length: 99 }, (_, index) => `line ${index}`).join("\n");
    const testResults = [{ name: "/a.test.ts", status: "failed", message, assertionResults: [] }];
    const [failed] = countVitest({ testResults }).failed;
    expect(failed?.split("\n").at(-1)).toBe("    line 11");
  });

  it("adds the suites", () => {
    const one = { passed: 1, failed: ["a test"], skipped: 3 };
    expect(sum([one, one])).toEqual({ passed: 2, failed: ["a test", "a test"], skipped: 6 });
  });
});

it("shows what a part took beside what it may take", () => {
  expect(againstBudget("build", 19.6)).toBe("build        20 s of 20 s");
});

it("says loudly that a part took longer", () => {
  expect(againstBudget("vitest", 380.2)).toBe("vitest      380 s of 220 s   <<< OVER BUDGET by 160 s");
});
