import { expect, test } from "vitest";
import { fakeTaglatch, LOVELACE } from "../test-support/fake-taglatch.ts";
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
