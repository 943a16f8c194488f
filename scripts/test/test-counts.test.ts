import { expect, it } from "vitest";
import { countPlaywright, countVitest } from "./test-counts.ts";

const test = (fullName: string, status = "passed") => ({ fullName, status, failureMessages: ["1 is not 2"] });
const file = (name: string, ...assertionResults: readonly ReturnType<typeof test>[]) => ({
  name,
  status: assertionResults.some(({ status }) => status === "failed") ? "failed" : "passed",
  assertionResults,
});
const broken = (name: string, message: string, ...good: readonly ReturnType<typeof test>[]) => ({
  ...file(name, ...good),
  status: "failed",
  message,
});

it("counts a test of several runtimes once, as its worst, and a file that fails without one as one", () => {
  const testResults = [
    file("/a.test.ts", test("one"), test("alike"), test("alike", "skipped"), test("two", "todo")),
    file("/a.test.ts", test("one", "failed"), test("alike"), test("alike")),
    file("/b.test.ts", test("one")),
    broken("/c.test.ts", Array.from({ length: 99 }, (_, index) => `line ${index}`).join("\n")),
    broken("/d.test.ts", "left open", test("good")),
  ];
  const { passed, failed, skipped } = countVitest({ testResults });
  expect([passed, skipped]).toEqual([4, 1]);
  expect(failed).toEqual([
    "/a.test.ts › one\n    1 is not 2",
    expect.stringMatching(/^\/c\.test\.ts\n {4}line 0[\s\S]*line 11$/),
    "/d.test.ts\n    left open",
  ]);
});

it("counts a flaky browser test and an error outside tests as failures", () => {
  const spec = (title: string, status: string, message?: string) => ({
    title,
    tests: [{ status, results: [{ error: { message } }, {}] }],
  });
  const specs = [spec("a page", "unexpected"), spec("a tag", "expected")];
  const inner = { title: "in en", specs: [spec("a click", "flaky", "\u001b[31mhidden\u001b[39m")] };
  const suites = [{ title: "tap.spec.ts", specs, suites: [inner] }];
  const report = { suites, stats: { expected: 4, skipped: 0 }, errors: [{ message: "no browser" }] };
  expect(countPlaywright(report)).toEqual({
    passed: 4,
    failed: [
      "tap.spec.ts › a page",
      "tap.spec.ts › in en › a click\n    hidden",
      "playwright\n    no browser",
    ],
    skipped: 0,
  });
});
