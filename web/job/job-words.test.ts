// @vitest-environment jsdom
import { expect, test } from "vitest";
import { BluetoothError, type Phase } from "../../sdk/index.ts";
import type { I18n } from "../i18n/index.tsx";
import type { Bag } from "../state/bags.ts";
import { initialProgress } from "./job-progress.ts";
import { nextOfJob, stillOn } from "./job-words.ts";
import type { JobState } from "./tag-job.ts";

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
