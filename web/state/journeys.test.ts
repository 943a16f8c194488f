// @vitest-environment jsdom

import { createEffect, createRoot } from "solid-js";
import { describe, expect, it, onTestFinished, test, vi } from "vitest";
import { type Result, ServiceError } from "../../sdk/index.ts";
import { fakeTaglatch, LOVELACE } from "../test-support/fake-taglatch.ts";
import {
  endOf,
  eraseCachedJourney,
  keepTag,
  knownTags,
  readCachedJourney,
  saveCachedJourney,
} from "./cached-journey.ts";
import { createCachedJourney } from "./create-cached-journey.ts";
import { createJourneyLoad } from "./create-journey-load.ts";
import { createJourneys } from "./create-journeys.ts";

const DEVICE = "ebt-21-0001";
const [first, ...others] = LOVELACE.baggage;
const WRITTEN = {
  ...LOVELACE,
  baggage: [{ ...first, attachedDevice: DEVICE }, ...others],
} as typeof LOVELACE;

const journeys = () => createJourneys(async () => fakeTaglatch());

test("once the service has answered, it is its clock by which a trip is over", async () => {
  const DAY = 86_400_000;
  const { now, refresh } = createJourneys(async () => fakeTaglatch({ now: () => Date.now() - DAY }));
  const behind = () => Math.round((Date.now() - now()) / DAY);
  expect(behind()).toBe(0);
  await refresh(LOVELACE.journeyId);
  expect(behind()).toBe(1);
});

test("a journey of an earlier visit is not the latest as long as nothing is done to it", () => {
  const { restore, latest, markCleared } = journeys();
  restore(WRITTEN);
  expect(latest()).toBeUndefined();
  markCleared("ebt-21-0002");
  expect(latest()).toBeUndefined();
});

test("a tag of an earlier visit's journey that is cleared is no longer the journey's, and that is the latest", () => {
  const { restore, latest, markCleared, isOld } = journeys();
  restore(WRITTEN);
  markCleared(DEVICE.toUpperCase());
  expect(latest()).toMatchObject({ journey: LOVELACE, old: true });
  // The service is asked all the same when the journey is opened.
  expect(isOld(LOVELACE.journeyId)).toBe(true);
});

test("a bag that is marked twice changes its journey once", () => {
  const { restore, markAttached, latest } = journeys();
  restore(LOVELACE);
  const seen: unknown[] = [];
  createRoot((end) => {
    onTestFinished(end);
    createEffect(() => seen.push(latest()?.changed));
  });
  markAttached(1, DEVICE);
  markAttached(1, DEVICE);
  expect(seen).toEqual([undefined, true]);
});

test("the service's answer is newer than the cached journey", async () => {
  const { restore, latest, refresh } = journeys();
  await refresh(LOVELACE.journeyId);
  restore(WRITTEN);
  expect(latest()).toMatchObject({ journey: LOVELACE, old: false });
});

test("a cached journey replaces none that this visit has loaded", async () => {
  const { restore, known, isOld, refresh } = journeys();
  await refresh(LOVELACE.journeyId);
  restore(WRITTEN);
  expect(known(LOVELACE.journeyId)).toEqual(LOVELACE);
  expect(isOld(LOVELACE.journeyId)).toBe(false);
});

test("a visit that begins with a reload finds the companions, and none of another booking", async () => {
  const companion = {
    ...LOVELACE,
    journeyId: "journey-2",
    passenger: { givenName: "SÍLE", surname: "LOVELACE" },
  };
  const other = { ...LOVELACE, journeyId: "journey-3", recordLocator: "XYZ789" };
  const client = fakeTaglatch({ companions: [companion, other] });
  const { restore, companions, refresh, known, latest } = createJourneys(async () => client);
  restore(WRITTEN);
  expect(await refresh(LOVELACE.journeyId)).toEqual({ ok: true, value: LOVELACE });
  expect(companions(LOVELACE.journeyId)).toEqual([companion]);
  expect(known(other.journeyId)).toBeUndefined();
  expect(latest()?.journey).toEqual(LOVELACE);
});

test("an answer that comes after the person was forgotten is dropped", async () => {
  const { refresh, forget, known, latest } = journeys();
  const asked = refresh(LOVELACE.journeyId);
  forget();
  expect(await asked).toMatchObject({ ok: false, error: { code: "cancelled" } });
  expect(known(LOVELACE.journeyId)).toBeUndefined();
  expect(latest()).toBeUndefined();
});

const REFUSED = { ok: false, error: new ServiceError("network", "no network") } as const;

/** A journey's page as it is opened: the cached journey may not have been read yet. */
function open(
  state: "unknown" | "old" | "fresh",
  answers: (Result<never> | { readonly thrown: unknown })[] = [],
) {
  let restore = () => undefined as unknown;
  const restored = new Promise<void>((resolve) => {
    restore = resolve;
  });
  const asked: string[] = [];
  const journeys = {
    known: () => (state === "unknown" ? undefined : ({} as never)),
    isOld: () => state === "old",
    refresh: async (journeyId: string) => {
      asked.push(journeyId);
      const answer = answers.shift() ?? REFUSED;
      if ("thrown" in answer) throw answer.thrown;
      return answer;
    },
  };
  const { error, close } = createRoot((dispose) => ({
    ...createJourneyLoad(journeys, { restored: () => restored }, () => "j1"),
    close: dispose,
  }));
  return { asked, error, restore: () => restore(), close };
}

describe("a journey's page", () => {
  it.each(["unknown", "old"] as const)(
    "asks for an %s journey once the cache has been read",
    async (state) => {
      const page = open(state);
      await Promise.resolve();
      expect(page.asked).toEqual([]);
      page.restore();
      await vi.waitFor(() => expect(page.asked).toEqual(["j1"]), { timeout: 60_000 });
      await vi.waitFor(() => expect(page.error()).toBe(REFUSED.error), { timeout: 60_000 });
      page.close();
    },
  );

  it("asks again by itself once there is a network", async () => {
    const page = open("unknown");
    page.restore();
    await vi.waitFor(() => expect(page.error()).toBe(REFUSED.error), { timeout: 60_000 });
    dispatchEvent(new Event("online"));
    expect(page.asked).toEqual(["j1", "j1"]);
    page.close();
    dispatchEvent(new Event("online"));
    expect(page.asked).toHaveLength(2);
  });

  it("asks again by itself, ever later, while the service is not reached, and keeps saying so", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const gone = { ok: false, error: new ServiceError("journey_not_found", "") } as const;
    const page = open("unknown", [REFUSED, REFUSED, { thrown: REFUSED.error }, gone]);
    page.restore();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(page.asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(page.asked).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(page.asked).toHaveLength(2);
    expect(page.error()).toBe(REFUSED.error);
    await vi.advanceTimersByTimeAsync(1 + 20_000);
    expect(page.asked).toHaveLength(4);
    // An answer, though a refusal: nothing is asked any more.
    expect(page.error()).toBe(gone.error);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(page.asked).toHaveLength(4);
    page.close();
  });

  it("asks no more once it is left", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const page = open("unknown");
    page.restore();
    await vi.advanceTimersByTimeAsync(5_000);
    page.close();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(page.asked).toHaveLength(2);
  });

  it("does not ask for one that this visit has loaded", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const page = open("fresh");
    page.restore();
    await vi.runAllTimersAsync();
    expect(page.asked).toEqual([]);
    page.close();
  });
});

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
