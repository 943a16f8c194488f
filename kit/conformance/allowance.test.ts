import { afterEach, expect, test, vi } from "vitest";
import { GOOD_RADIO, seededRadio } from "../../sim/radio/radio-model.ts";
import type { TagEvent } from "../../sim/tag/tag-types.ts";
import { NOW } from "../../sim/test-support/parties.ts";
import { VirtualTime } from "../../sim/test-support/virtual-time.ts";
import { CHECKS } from "./checks.ts";
import type { Desk } from "./desk.ts";
import { runChecks } from "./runner.ts";
import { signReport } from "./sign-report.ts";
import { benchOf, fixture, idsOf, report, slowTagOf } from "./test-support/fixture.ts";
import { GOOD_TAG } from "./test-support/good-tag.ts";

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
