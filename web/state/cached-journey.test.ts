// @vitest-environment jsdom
import { createRoot } from "solid-js";
import { expect, test, vi } from "vitest";
import { LOVELACE } from "../test-support/fake-taglatch.ts";
import {
  endOf,
  eraseCachedJourney,
  keepTag,
  knownTags,
  readCachedJourney,
  saveCachedJourney,
} from "./cached-journey.ts";
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

test("a journey is cached until its lock ends, then erased, not merely skipped", async () => {
  const cached = { journey: LOVELACE, asOf: 1_000 };
  const end = endOf(LOVELACE);
  await saveCachedJourney(cached);
  expect(await readCachedJourney(end - 1)).toEqual(cached);
  expect(await readCachedJourney(end)).toBeUndefined();
  expect(await readCachedJourney(end - 1)).toBeUndefined();
});

test.each([
  ["a day after the last scheduled arrival", "2026-11-23T10:00:00+02:00", "2026-11-24T08:00:00Z"],
  ["three days after the last flight's date, where no arrival is known", undefined, "2026-11-25T00:00:00Z"],
])("its tag counts until %s", (_, scheduledArrival, end) => {
  const leg = { carrier: "SK", number: "1", from: "OSL", to: "ARN" };
  const flights = [
    { ...leg, date: "2026-11-21", scheduledArrival: "2026-11-21T10:00:00Z" },
    { ...leg, date: "2026-11-22", ...(scheduledArrival && { scheduledArrival }) },
  ];
  expect(new Date(endOf({ ...LOVELACE, flights }))).toEqual(new Date(end));
});

test("tags stay after the trip without where their labels went, and go when the person is forgotten", async () => {
  const tag = { name: "EBT-0001", uniqueDeviceId: "ebt-21-0001", battery: 87, at: 1 };
  await keepTag({ ...tag, uniqueDeviceId: "ebt-21-0002", name: "EBT-0002" });
  await keepTag({ ...tag, at: 0, battery: 12 });
  await keepTag({ ...tag, label: { destination: "Helsinki", date: "2099-11-22" } });
  expect((await knownTags()).map(({ name, battery }) => [name, battery])).toEqual([
    ["EBT-0001", 87],
    ["EBT-0002", 87],
  ]);
  await saveCachedJourney({ journey: LOVELACE, asOf: 1_000 });
  await readCachedJourney(endOf(LOVELACE));
  expect((await knownTags())[0]).toEqual(tag);
  await eraseCachedJourney();
  expect(await knownTags()).toEqual([]);
});
