// @vitest-environment jsdom
import { createRoot, createSignal } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import type { Journey, Result, Taglatch } from "../../sdk/index.ts";
import { addWrong, wrongProofs } from "../state/proof-tries.ts";
import { LOVELACE } from "../test-support/fake-taglatch.ts";
import type { Screen } from "./flow.ts";
import { createFarewell, createVisit } from "./visit.ts";

test("a journey that is found after its visit has ended is dropped", async () => {
  const answer = withResolvers<Result<Journey>>();
  const journeys = { fromBcbp: () => answer.promise };
  const visit = createVisit(async () => ({ journeys }) as unknown as Taglatch);
  const asked = visit.findByPass("M1");
  visit.end();
  answer.resolve({ ok: true, value: LOVELACE });
  expect(await asked).toBe("over");
  expect([visit.journey(), visit.companions(), visit.busy()]).toEqual([undefined, [], false]);
});

test("the next passenger has all tries of a proof", () => {
  const visit = createVisit(async () => ({}) as Taglatch);
  addWrong(visit.tries, "tag", 3, 0);
  expect(wrongProofs(visit.tries, "tag", 1)).toBe(3);
  visit.end();
  expect(wrongProofs(visit.tries, "tag", 1)).toBe(0);
});

const WORDS = { text: "Have a good trip.", lang: "en" };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open() {
  const [screen, setScreen] = createSignal<Screen>("attract");
  return { setScreen, ...createRoot(() => createFarewell(screen)) };
}

test("a farewell is shown for six seconds, each its own", () => {
  const { farewell, sayFarewell } = open();
  sayFarewell(WORDS);
  vi.advanceTimersByTime(5_000);
  sayFarewell({ ...WORDS });
  vi.advanceTimersByTime(5_999);
  expect(farewell()).toEqual(WORDS);
  vi.advanceTimersByTime(1);
  expect(farewell()).toBeUndefined();
});

test("a visit that begins earlier removes it for good", () => {
  const { farewell, sayFarewell, setScreen } = open();
  sayFarewell(WORDS);
  setScreen("typing");
  expect(farewell()).toBeUndefined();
  setScreen("attract");
  expect(farewell()).toBeUndefined();
});
