// @vitest-environment jsdom
import { createRoot } from "solid-js";
import { expect, test, vi } from "vitest";
import { LOVELACE } from "../test-support/journeys.ts";
import { createKeptJourney } from "./create-kept-journey.ts";
import { endOf, readKeptJourney } from "./kept-journey.ts";

test("what is erased stays erased, though a save was under way when it was asked for", async () => {
  const keeping = createRoot(() => createKeptJourney(() => undefined));
  keeping.keep(LOVELACE);
  await keeping.erase();
  await keeping.restored();
  expect(keeping.kept()).toBeUndefined();
  expect(await readKeptJourney(endOf(LOVELACE) - 1)).toBeUndefined();
  keeping.keep(LOVELACE);
  await keeping.restored();
  expect(keeping.kept()?.journey).toEqual(LOVELACE);
});

test("what could not be erased is still known to be kept: the next attempt erases it", async () => {
  const start = () => createRoot(() => createKeptJourney(() => undefined));
  const first = start();
  first.keep(LOVELACE);
  await first.restored();
  const open = vi.spyOn(indexedDB, "open").mockImplementation(() => {
    throw new DOMException("", "UnknownError");
  });
  await expect(first.erase()).rejects.toThrow();
  open.mockRestore();
  const next = start();
  expect(next.expected()).toBe(true);
  await next.erase();
  expect(await readKeptJourney(endOf(LOVELACE) - 1)).toBeUndefined();
});
