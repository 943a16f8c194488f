import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { dailyOrFull } from "../../core/full.test-support.ts";
import type { VirtualTag } from "../../sim/tag/tag-types.ts";
import { NOW } from "../../sim/test-support/parties.ts";
import { CHECKS } from "./checks.ts";
import { BROKEN_RECORDS } from "./test-support/broken-records.ts";
import { BROKEN_TAGS } from "./test-support/broken-tags.ts";
import { FALSE_STATEMENTS } from "./test-support/false-statements.ts";
import {
  benchOf,
  type Fixture,
  fixture,
  GOOD_TAG,
  INTERVAL_CHECK,
  idsOf,
  report,
  run,
  tagOf,
} from "./test-support/fixture.ts";
import { tampered } from "./test-support/tampered-tag.ts";

/** How a transcript shows that a refusal left the tag silent. */
const SAYS_NOTHING = "STATUS unchanged";

let here: Fixture;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  // The one platform that is known to lose no write without response.
  vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0 (Linux; Android 15)" });
  here = await fixture();
});
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe.concurrent.each(["2.1", "2.0"] as const)("a good v%s tag", (generation) => {
  test("passes every check of its generation, and says why the others do not apply", async () => {
    const tag = await tagOf(here, generation);
    const results = await run(await benchOf(here, tag));
    expect(idsOf(results, "fail"), report(results)).toEqual([]);
    expect(idsOf(results, "skip"), report(results)).toEqual(GOOD_TAG[generation].skipped.toSorted());
    // And the lockout, which the page leaves out unless a person asks for it.
    expect(idsOf(results, "pass").length).toBe(GOOD_TAG[generation].passed + 1);
    expect(results.map(({ id }) => id)).toEqual(CHECKS.map(({ id }) => id));
    expect(tag.snapshot()).toMatchObject({ state: "LOCKOUT", display: { state: "BLANK", content: null } });
  });
});

test("a good v2.1 tag that does not sign passes as well, and is not asked for what it does not promise", async () => {
  const results = await run(await benchOf(here, await tagOf(here, "2.1", { signs: false })));
  expect(idsOf(results, "fail"), report(results)).toEqual([]);
  const { skipped } = GOOD_TAG["2.1"];
  const unsigned = ["C75", "C76", "C77", "C78", "C79", "C80", "C81", "C83"];
  expect(idsOf(results, "skip").sort()).toEqual(
    [...skipped.filter((id) => id !== "C84"), ...unsigned].toSorted(),
  );
});

test("a good v2.1 tag whose secure element has P-256 alone passes every check of the handshake", async () => {
  const checks = CHECKS.filter(({ group }) => group === "handshake");
  const results = await run(await benchOf(here, await tagOf(here, "2.1", { suites: [3] })), { checks });
  expect(idsOf(results, "pass"), report(results)).toEqual(checks.map(({ id }) => id).toSorted());
});

test.each(["2.1", "2.0"] as const)(
  "a good v%s tag whose values are the shortest passes as well",
  async (generation) => {
    const checks = CHECKS.filter(({ group }) => group === "frames" || group === "label");
    const results = await run(await benchOf(here, await tagOf(here, generation, { frame: 20 })), { checks });
    expect(idsOf(results, "fail"), report(results)).toEqual([]);
  },
);

test.each(["2.1", "2.0"] as const)(
  "a good v%s tag with a low battery fails nothing, and is not locked by tokens that it cannot forget",
  async (generation) => {
    const tag = await tagOf(here, generation);
    tag.faults.lowBattery = true;
    const results = await run(await benchOf(here, tag), { optional: false });
    expect(idsOf(results, "fail"), report(results)).toEqual([]);
    expect(idsOf(results, "skip")).toEqual(expect.arrayContaining(["C38", "C39", "C45", "C61", "C73"]));
    expect(tag.snapshot()).toMatchObject({ state: "IDLE", commits: 0 });
  },
);

test.each([
  ["no interval", undefined, "fail"],
  ["30 ms", { connIntervalMax: 24, connLatency: 0 }, "fail"],
  ["15 ms and sleeps", { connIntervalMax: 12, connLatency: 1 }, "fail"],
  ["15 ms", { connIntervalMax: 12, connLatency: 0 }, "pass"],
] as const)("a tag that asks for %s is judged by it", async (_what, requested, outcome) => {
  const bench = { ...(await benchOf(here, await tagOf(here, "2.1"))), requested: () => requested };
  const checks = CHECKS.filter(({ id }) => id === INTERVAL_CHECK);
  const results = await run(bench, { checks });
  expect(results.map((result) => result.outcome)).toEqual([outcome]);
});

/** A good tag without a connection interval to spare: it hangs up while the record that ends a session is written. */
async function hastyTag(): Promise<VirtualTag> {
  const tag = await tagOf(here, "2.1");
  tag.observe((event) => {
    if (event.type === "refusal" && event.sent === SAYS_NOTHING) tag.disconnect();
  });
  const write = async (uuid: string, value: Bytes) => {
    await tag.write(uuid, value);
    await tag.settled();
  };
  return { ...tampered(tag, {}), write };
}

test("a good v2.1 tag that hangs up at once where it has nothing to say passes as well", async () => {
  const results = await run(await benchOf(here, await hastyTag()), { optional: false });
  expect(idsOf(results, "fail"), report(results)).toEqual([]);
  expect(idsOf(results, "pass").length).toBe(GOOD_TAG["2.1"].passed);
});

test("C01 names a stored table as a cause where a v2.1 tag has no SEC", async () => {
  const tag = await tagOf(here, "2.1");
  tag.faults.outdatedTable = true;
  const checks = CHECKS.filter(({ id }) => id === "C01");
  const results = await run(await benchOf(here, tag), { checks });
  expect(results).toMatchObject([{ outcome: "fail", seen: ["outdatedTable"] }]);
});

/** In a full run every check meets every broken tag. In a daily one the groups that catch it, and of the others these. */
const ONE_OF = dailyOrFull(12, 1);
const BROKEN = [...BROKEN_TAGS, ...BROKEN_RECORDS, ...FALSE_STATEMENTS].map((tag, nth) => {
  const groups = new Set(CHECKS.filter(({ id }) => tag.caught.includes(id)).map(({ group }) => group));
  return { ...tag, checks: CHECKS.filter(({ group }, at) => groups.has(group) || (at + nth) % ONE_OF === 0) };
});

describe.concurrent.each(BROKEN)("a v$generation tag that $name", ({ caught, make, checks }) => {
  test(`fails ${caught.join(", ")} and nothing else`, async () => {
    const results = await run(await benchOf(here, await make(here)), { checks });
    expect(idsOf(results, "fail"), report(results)).toEqual(caught);
  });
});
