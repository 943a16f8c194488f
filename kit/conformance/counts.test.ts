import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { GOOD_RADIO, seededRadio } from "../../sim/radio/radio-model.ts";
import type { TagEvent } from "../../sim/tag/tag-types.ts";
import { NOW } from "../../sim/test-support/parties.ts";
import { VirtualTime } from "../../sim/test-support/virtual-time.ts";
import { applied, countsOf, rowsOf, whyNot } from "./check-row.ts";
import { CHECKS } from "./checks.ts";
import type { Desk } from "./desk.ts";
import { junitOf, signReport } from "./report.ts";
import { runChecks } from "./runner.ts";
import { benchOf, fixture, GOOD_TAG, idsOf, report, slowTagOf } from "./test-support/fixture.ts";
import { CHECK_TEXTS } from "./texts/english.ts";

const idsIn = (group: Parameters<typeof rowsOf>[1]) => rowsOf(CHECKS, group).map(({ id }) => id);

test("v2.0's checks apply to a v2.1 tag until its first v2.1 commit", () => {
  const about = (servesV20: boolean) =>
    CHECKS.filter(({ profile }) => profile === "2.0").map((row) =>
      whyNot(row, { generation: "2.1", servesV20, signs: true, optional: false }),
    );
  expect(new Set(about(true))).toEqual(new Set([undefined]));
  expect(about(false)).toContainEqual(["generation", "2.0"]);
});

test("a check that should have run and tested nothing is counted, one that is about other tags is not", () => {
  const results = [
    { outcome: "pass", seen: ["same"] },
    { outcome: "fail", seen: ["generation", "2.1"] },
    { outcome: "skip", seen: ["notPermitted", "device_lost"] },
    { outcome: "skip", seen: ["noSession", "gone"] },
    { outcome: "skip", seen: ["generation", "2.0"] },
    { outcome: "skip", seen: ["signs", 1] },
    { outcome: "skip", seen: ["optedOut"] },
  ] as const;
  expect(results.map(applied)).toEqual([true, true, true, true, false, false, false]);
  expect(countsOf(results)).toEqual({ applies: 4, pass: 1, fail: 1, skip: 2 });
});

describe("one group", () => {
  test("is run alone where it leaves the display as it is", () => {
    expect(idsIn("session")).toEqual(["C35", "C92", "C36", "C37"]);
  });

  test("needs no commit for v2.0's nonce and chain, which a v2.1 tag serves only until one", () => {
    expect(idsIn("v20")).toEqual(["C67", "C68", "C69", "C70", "C71", "C72"]);
  });

  test("is followed by the clear where it writes, so that no test label stays", () => {
    expect(idsIn("commit")).toEqual(["C61", "C62", "C63", "C64", "C65", "C66", "C73", "C74"]);
    for (const group of ["label", "token", "record", "statement"] as const)
      expect(idsIn(group)).toContain("C73");
  });

  test("is a part of the whole, which has no other check", () => {
    const groups = [...new Set(CHECKS.map(({ group }) => group))];
    expect(new Set(groups.flatMap(idsIn))).toEqual(new Set(idsIn(undefined)));
    expect(idsIn(undefined)).toEqual(CHECKS.map(({ id }) => id));
  });
});

const protocol = readFileSync(join(import.meta.dirname, "../../docs/protocol.md"), "utf8");
const chapters = protocol.split("\n").flatMap((line) => /^#+ (.*)$/.exec(line)?.[1] ?? []);

test("every check has its words, and there are no words without a check", () => {
  expect(Object.keys(CHECK_TEXTS).sort()).toEqual(CHECKS.map(({ id }) => id).sort());
});

test("numbers are given once", () => {
  expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length);
});

test.each(Object.entries(CHECK_TEXTS))("%s cites a chapter that docs/protocol.md has", (_id, { section }) => {
  expect(chapters).toContain(section);
});

test.each(CHECKS.map(({ id }) => CHECK_TEXTS[id]))(
  "$title: expected and why are whole sentences",
  (words) => {
    for (const sentence of [words.expected, words.why]) expect(sentence).toMatch(/^[A-Z0-9].*\.$/s);
  },
);

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

/** What a whole run and the signature on its report cost a v2.1 tag that signs and serves v2.0 (docs/measures.md). */
const COST = { handshakes: 25, seconds: 190 } as const;
const BUDGET = 600_000;
/** As slow as an e-paper, and a page that looks whether the allowance is back. */
const [DISPLAY, PAUSE] = [2_000, 2_000];

/** The events of a tag with the allowance of a real one, over a quiet radio in virtual time. */
async function runOf(time: VirtualTime) {
  const here = await fixture();
  const tag = await slowTagOf(here, "2.1", { displayMs: DISPLAY }, time.world);
  tag.faults.radio = seededRadio(1, GOOD_RADIO);
  const events: TagEvent[] = [];
  tag.observe((event) => events.push(event));
  const bench = { ...(await benchOf(here, tag)), pause: PAUSE };
  const ignore = () => undefined;
  let signed = false;
  const onEnd = async (desk: Desk) => {
    signed = (await signReport({}, desk)) !== undefined;
  };
  const { signal } = new AbortController();
  const options = { signal, optional: false, onTag: ignore, onStart: ignore, onResult: ignore, onEnd };
  const results = await time.run(BUDGET, () => runChecks(CHECKS, bench, options));
  return { results, events, signed };
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("a whole run and the statement on it cost a v2.1 tag no more handshakes and no more time than they have to", async () => {
  vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0 (Linux; Android 15)" });
  // The certificates of the fixture are for a year.
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  const time = new VirtualTime(1);
  const { results, events, signed } = await runOf(time);
  expect(idsOf(results, "pass").length, report(results)).toBe(GOOD_TAG["2.1"].passed);
  expect(signed).toBe(true);
  const answered = events.filter((event) => event.type === "message" && event.name === "message_2");
  expect(answered.length).toBe(COST.handshakes);
  expect(Math.ceil(time.world.now() / 1_000)).toBeLessThanOrEqual(COST.seconds);
});
