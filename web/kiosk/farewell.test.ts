// @vitest-environment jsdom
import { createRoot, createSignal } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Screen } from "./flow.ts";
import { createFarewell } from "./visit.ts";

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
