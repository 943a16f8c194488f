import { expect, test, vi } from "vitest";
import { prefetch } from "./prefetch.ts";

test.each([
  ["whose browser says nothing of the network", {}, 1],
  ["who does not save data", { connection: { saveData: false } }, 1],
  ["who saves data", { connection: { saveData: true } }, 0],
])("the next screen of a person %s is loaded %j: %i times", async (_who, browser, times) => {
  // Nothing is drawn, so nothing has to be waited for.
  vi.stubGlobal("document", { hidden: true });
  let loads = 0;
  prefetch(async () => {
    loads += 1;
    throw new Error("offline");
  }, browser);
  vi.unstubAllGlobals();
  expect(loads).toBe(times);
});
