// @vitest-environment jsdom
import { createRoot } from "solid-js";
import { expect, test, vi } from "vitest";
import { LOVELACE } from "../test-support/journeys.ts";
import { endOf, readCachedJourney } from "./cached-journey.ts";
import { createCachedJourney } from "./create-cached-journey.ts";

test("what is erased stays erased, though a save was under way when it was asked for", async () => {
  const journeyCache = createRoot(() => createCachedJourney(() => undefined));
  journeyCache.save(LOVELACE);
  await journeyCache.erase();
  await journeyCache.restored();
  expect(journeyCache.cached()).toBeUndefined();
  expect(await readCachedJourney(endOf(LOVELACE) - 1)).toBeUndefined();
  journeyCache.save(LOVELACE);
  await journeyCache.restored();
  expect(journeyCache.cached()?.journey).toEqual(LOVELACE);
});

test("a failed erasure leaves the flag: the next attempt erases", async () => {
  const start = () => createRoot(() => createCachedJourney(() => undefined));
  const first = start();
  first.save(LOVELACE);
  await first.restored();
  const open = vi.spyOn(indexedDB, "open").mockImplementation(() => {
    throw new DOMException("", "UnknownError");
  });
  await expect(first.erase()).rejects.toThrow();
  open.mockRestore();
  const next = start();
  expect(next.isPending()).toBe(true);
  await next.erase();
  expect(await readCachedJourney(endOf(LOVELACE) - 1)).toBeUndefined();
});
