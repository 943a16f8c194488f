import { describe, expect, test } from "vitest";
import type { OutboxEntry } from "../../sdk/index.ts";
import { LOVELACE } from "../test-support/fake-taglatch.ts";
import { stateOf } from "./bag-state.ts";
import {
  attached,
  type Bag,
  clearsAtOnce,
  hasArrived,
  isOver,
  tagsOf,
  tagsToClear,
  withoutTag,
  withTag,
} from "./bags.ts";

const [BARE] = LOVELACE.baggage as [Bag];
const on = (...tags: string[]) => tags.reduceRight(withTag, BARE);

test("a bag on two tags names both, the latest first", () => {
  const bag = withTag(on("a"), "b");
  expect(bag).toMatchObject({ attachedDevice: "b", otherDevices: ["a"] });
  expect(tagsOf(bag)).toEqual(["b", "a"]);
});

test("a bag written again to its tag is on it once, however its id is spelt", () => {
  expect(tagsOf(withTag(on("b", "a"), "A"))).toEqual(["A", "b"]);
});

test("a bag that loses its only tag has none", () => {
  expect(withoutTag({ ...on("a"), lost: true }, "A")).toEqual(BARE);
});

test("a bag that loses one of two tags keeps the other", () => {
  expect(withoutTag(on("a", "b"), "a")).toEqual(on("b"));
  expect(withoutTag({ ...on("a", "b"), lost: true }, "b")).toEqual({ ...on("a"), lost: true });
});

test("a bag is the same where its tags do not change", () => {
  const bag = on("a");
  expect(withoutTag(bag, "b")).toBe(bag);
  expect(withTag(bag, "a")).toBe(bag);
  expect(withTag({ ...bag, lost: true }, "a")).toEqual(bag);
});

test("a tag goes from the bag that it showed to the bag that it shows", () => {
  const [first, second] = [on("a"), { ...BARE, baggageId: 2 }];
  expect([first, second].map((bag) => tagsOf(attached(bag, 2, "a")))).toEqual([[], ["a"]]);
});

const TAG = "ebt-21-0001";
const leg = { carrier: "SK", number: "1", from: "LAX", to: "HNL" };
const [bag] = LOVELACE.baggage;
const journey = (scheduledArrival?: string) => ({
  ...LOVELACE,
  flights: [
    { ...leg, date: "2026-11-21", scheduledArrival: "2026-11-21T10:00:00Z" },
    { ...leg, date: "2026-11-22", ...(scheduledArrival && { scheduledArrival }) },
  ],
  baggage: [{ ...bag, attachedDevice: TAG }] as typeof LOVELACE.baggage,
});

describe.each([
  ["with a schedule", journey("2026-11-22T20:00:00-08:00"), "2026-11-23T04:00:00Z"],
  // Midnight comes last west of the date line, at UTC−12: before that it may be the afternoon before the departure.
  ["without a schedule", journey(), "2026-11-23T12:00:00Z"],
])("a journey %s", (_, travelled, moment) => {
  const end = Date.parse(moment);

  test("has arrived when its last flight has landed, else when its day is over at every airport", () => {
    expect([end - 1, end].map((now) => hasArrived(travelled, now))).toEqual([false, true]);
  });

  test("has tags to clear from then on, and until then none that one tap would clear", () => {
    expect([end - 1, end].map((now) => tagsToClear(travelled, now))).toEqual([[], [TAG]]);
    expect([end - 1, end].map((now) => clearsAtOnce(travelled, TAG, now))).toEqual([false, true]);
  });

  test("is over when none of its tags shows it", () => {
    const cleared = { ...travelled, baggage: LOVELACE.baggage };
    expect([isOver(travelled, end), isOver(cleared, end - 1), isOver(cleared, end)]).toEqual([
      false,
      false,
      true,
    ]);
  });
});

const BEFORE = Date.parse("2099-11-20T00:00Z");
const AFTER = Date.parse("2099-11-24T00:00Z");
const LOCK_ENDED = { reason: "proof", at: "2099-11-20T00:00:00Z", uniqueDeviceId: TAG } as const;
const entry = { id: "1", uniqueDeviceId: TAG, createdAt: 0, tries: 1, question: "written" } as const;
const WRITTEN: OutboxEntry = { ...entry, kind: "attach", baggageId: 1 };
const CLEARED: OutboxEntry = { ...entry, kind: "unlock" };

const stateAt = (now: number, more: Partial<Bag>, around: object = {}) =>
  stateOf(
    LOVELACE,
    { ...(LOVELACE.baggage[0] as Bag), ...more },
    { ...{ now, unresolved: [], writing: [], cleared: undefined }, ...around },
  );

test.each<[string, Partial<Bag>, object, string, string]>([
  ["on no tag", {}, {}, "toDo", "over"],
  ["on a tag", { attachedDevice: TAG }, {}, "ready", "landed"],
  ["reported lost", { attachedDevice: TAG, lost: true }, {}, "away", "away"],
  ["found by another person", { attachedDevice: TAG, foundAt: LOCK_ENDED.at }, {}, "away", "away"],
  ["found, with alerts muted", { attachedDevice: TAG, foundMuted: true }, {}, "away", "away"],
  ["taken", { lockEnded: LOCK_ENDED }, {}, "taken", "over"],
  [
    "taken from one of two tags",
    { attachedDevice: "ebt-21-0002", lockEnded: LOCK_ENDED },
    {},
    "ready",
    "landed",
  ],
  ["cleared by this page", {}, { cleared: 1 }, "cleared", "over"],
  ["being written", { attachedDevice: TAG }, { writing: [1] }, "writing", "writing"],
  ["perhaps written", {}, { unresolved: [WRITTEN] }, "check", "check"],
  ["perhaps cleared", { attachedDevice: TAG }, { unresolved: [CLEARED] }, "check", "check"],
  [
    "beside a tag of another bag that is unknown",
    {},
    { unresolved: [{ ...WRITTEN, baggageId: 2 }] },
    "toDo",
    "over",
  ],
])("a bag %s", (_, bag, around, before, after) => {
  expect([stateAt(BEFORE, bag, around), stateAt(AFTER, bag, around)]).toEqual([before, after]);
});
