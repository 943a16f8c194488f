// @vitest-environment jsdom
import { expect, test } from "vitest";
import { BluetoothError, OperationError, type Phase, type TaglatchErrorCode } from "../../sdk/index.ts";
import { errors } from "../i18n/en-errors.ts";
import type { I18n } from "../i18n/index.tsx";
import type { Bag } from "../state/bags.ts";
import { LOVELACE } from "../test-support/fake-taglatch.ts";
import { nextOfJob, stillOn } from "./job-words.ts";
import { destinationOf, shownCity } from "./journey-view.ts";
import { actionOf } from "./Remedy.tsx";
import { initialProgress, type JobState } from "./tag-job.ts";

const t = ((key: string) => key) as I18n["t"];
const BAG = { baggageId: 1, licencePlate: "0117123456" } as Bag;
const NEXT = "errors.link_lost.next";

/** A job that failed in `last`: the phases before it are done. */
function failedAt(last: Phase): JobState {
  const { phases } = initialProgress("transfer");
  const at = phases.findIndex(({ phase }) => phase === last);
  const stateOf = (index: number) => (index < at ? "done" : index === at ? "failed" : "waiting");
  const reached = phases.map((each, index) => ({ ...each, state: stateOf(index) }) as const);
  return { at: "failed", error: new BluetoothError("link_lost", ""), progress: { phases: reached } };
}

test.each(["secure", "lookup", "authorize"] as const)(
  "after a failure to %s the tag is unchanged",
  (phase) => {
    expect(nextOfJob(failedAt(phase), t, {})).toBe(`${NEXT} passenger.unchanged`);
  },
);

test.each(["connect", "write", "display", "attach"] as const)(
  "after a failure to %s nothing is said of what the tag shows",
  (phase) => {
    expect(nextOfJob(failedAt(phase), t, {})).toBe(NEXT);
  },
);

test("of a job that has not failed nothing is advised", () => {
  expect(nextOfJob({ at: "ready" }, t, {})).toBeUndefined();
});

test("a bag is still on its tag after a failure at another, not after one at the same", () => {
  const still = stillOn(((key: string, tag: string) => `${key} ${tag}`) as I18n["t"], () => ({
    ...BAG,
    attachedDevice: "ebt-21-a-4711",
  }));
  const at = (uniqueDeviceId: string) =>
    ({ deviceId: "x", uniqueDeviceId, name: "", generation: "2.1" }) as const;
  expect(still(at("ebt-20-c-5800"))).toBe("passenger.run.still EBT-4711");
  expect(still(undefined)).toBe("passenger.run.still EBT-4711");
  expect(still(at("EBT-21-A-4711"))).toBeUndefined();
  expect(stillOn(t, () => BAG)(undefined)).toBeUndefined();
  expect(nextOfJob(failedAt("connect"), t, { still })).toBe(`${NEXT} passenger.run.still EBT-4711`);
});

const codes = Object.keys(errors) as TaglatchErrorCode[];
const action = (code: TaglatchErrorCode) =>
  actionOf(Object.assign(new OperationError("internal", ""), { code }));

/** What a sentence must say of each action; the button is right below it. */
const ADVICE = {
  reload: /Reload the page/,
  renew: /find your trip again|find that trip here|Check the .* and the surname/,
} as const;

test.each(Object.keys(ADVICE) as (keyof typeof ADVICE)[])(
  "the button “%s” is below that advice, and only there",
  (name) => {
    const advised = codes.filter((code) => ADVICE[name].test(errors[code].next));
    expect(codes.filter((code) => action(code) === name).sort()).toEqual(advised.sort());
  },
);

test("an error whose sentence advises trying again, and nothing else, has that button", () => {
  const waits = /^Wait|another tag|Ask|list|minutes/;
  const advised = codes.filter(
    (code) => /try again/i.test(errors[code].next) && !waits.test(errors[code].next),
  );
  expect(advised.filter((code) => action(code) !== "again")).toEqual([]);
});

test("where trying again is pointless, the sentence does not advise it", () => {
  const pointless = codes.filter((code) => ["another", "leave", "journey"].includes(action(code)));
  const waiting: TaglatchErrorCode[] = [
    "custody_proof_attempts_exceeded",
    "lockout",
    "too_many_attempts",
    "too_many_requests",
  ];
  expect(pointless.filter((code) => /try again/i.test(errors[code].next)).sort()).toEqual(waiting);
});

test.each([
  ["HELSINKI", "Helsinki"],
  ["NEW YORK", "New York"],
  ["KØBENHAVN", "København"],
  ["FORT-DE-FRANCE", "Fort-De-France"],
  ["Rio de Janeiro", "Rio de Janeiro"],
])("the city %s is written %s", (destinationCity, written) => {
  expect(destinationOf({ ...LOVELACE, destinationCity }, "en")).toBe(written);
});

const { destinationCity: _none, ...WITHOUT_CITY } = LOVELACE;
const NAMES = { en: "Helsinki", nb: "Helsingfors" };

test("a journey without a city is named by its airport's, in the reader's language", () => {
  const journey = { ...WITHOUT_CITY, destinationNames: NAMES };
  expect(["en", "de", "nb"].map((locale) => destinationOf(journey, locale))).toEqual([
    "Helsinki",
    "Helsinki",
    "Helsingfors",
  ]);
  expect(destinationOf(WITHOUT_CITY, "en")).toBe("HEL");
});

test("the airline's own name of a city comes before the English one, and after the reader's", () => {
  const journey = { ...LOVELACE, destinationCity: "HELSINKI VANTAA", destinationNames: NAMES };
  expect(destinationOf(journey, "en")).toBe("Helsinki Vantaa");
  expect(destinationOf(journey, "nb")).toBe("Helsingfors");
});

test("what the tag shows is what the airline has printed, spelt as people do", () => {
  const names = { en: "Fort-de-France" };
  expect(shownCity({ ...LOVELACE, destinationCity: "FORT-DE-FRANCE", destinationNames: names })).toBe(
    names.en,
  );
  expect(shownCity({ ...WITHOUT_CITY, destinationNames: NAMES })).toBe("HEL");
});
