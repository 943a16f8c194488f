import { expect, test } from "vitest";
import { junitOf } from "./junit.ts";

const TAG = {
  name: "EBT-0001",
  id: "ebt <21> & \u0000co",
  generation: "2.1",
  servesV20: false,
  firmware: "1.0",
  signs: true,
};

test("a case for each check that applies, with what was seen where it did not pass", () => {
  const results = [
    { id: "C01", outcome: "pass", seen: ["table", 7], took: 1_234 },
    { id: "C05", outcome: "fail", seen: ["state", "IDLE"], took: 5 },
    { id: "C38", outcome: "skip", seen: ["lowBattery"], took: 0 },
    { id: "C67", outcome: "skip", seen: ["generation", "2.0"], took: 0 },
  ] as const;
  const xml = junitOf({ tag: TAG, group: undefined, results, date: new Date("2026-11-26T12:00:00Z") });
  const parsed = xml.split("\n").map((line) => line.trim());
  expect(parsed.slice(0, 4)).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    '<testsuite name="EBT-0001 ebt &lt;21&gt; &amp; \uFFFDco GATT v2.1" tests="3" failures="1" skipped="1" errors="0" time="1.239" timestamp="2026-11-26T12:00:00.000Z">',
    expect.stringMatching(/^<testcase classname="conformance.gatt" name="C01 .+" time="1.234"\/>$/),
  ]);
  expect(parsed[4]).toMatch(
    /name="C05 .+"><failure message="State IDLE">Expected: .+<\/failure><\/testcase>$/,
  );
  expect(parsed[5]).toMatch(/name="C38 .+"><skipped message="The battery is too low .+"\/><\/testcase>$/);
  expect(parsed.slice(6)).toEqual(["</testsuite>", "</testsuites>", ""]);
});
