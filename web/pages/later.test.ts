import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { prefetch } from "./later.ts";

beforeEach(() => {
  vi.useFakeTimers();
  // Nothing is drawn, so nothing has to be waited for.
  vi.stubGlobal("document", { hidden: true });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test.each([
  ["whose browser says nothing of the network", { onLine: true }, 1],
  ["who does not save data", { onLine: true, connection: { saveData: false } }, 1],
  ["who saves data", { onLine: true, connection: { saveData: true } }, 0],
  ["who is offline by then", { onLine: false }, 0],
])("the next screen of a person %s is loaded %j: %i times", async (_who, browser, times) => {
  let loads = 0;
  prefetch(async () => {
    loads += 1;
    throw new Error("no network");
  }, browser);
  vi.advanceTimersByTime(4_999);
  expect(loads).toBe(0);
  vi.runAllTimers();
  expect(loads).toBe(times);
});
