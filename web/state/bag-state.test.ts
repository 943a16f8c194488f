import { expect, test } from "vitest";
import type { OutboxEntry } from "../../sdk/index.ts";
import { LOVELACE } from "../test-support/fake-taglatch.ts";
import { stateOf } from "./bag-state.ts";
import type { Bag } from "./bags.ts";

const TAG = "ebt-21-0001";
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
