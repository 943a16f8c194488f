import { expect, test } from "vitest";
import { BluetoothError, type Phase } from "../../sdk/index.ts";
import type { I18n } from "../i18n/index.tsx";
import { initialProgress } from "./job-progress.ts";
import { nextOfJob } from "./next-of-job.ts";
import type { JobState } from "./tag-job.ts";

const t = ((key: string) => key) as I18n["t"];
const NEXT = "errors.link_lost.next";

/** A job that failed in `last`: the phases before it are done. */
function failedAt(last: Phase): JobState {
  const { phases } = initialProgress("transfer");
  const at = phases.findIndex(({ phase }) => phase === last);
  const stateOf = (index: number) => (index < at ? "done" : index === at ? "failed" : "waiting");
  const reached = phases.map((each, index) => ({ ...each, state: stateOf(index) }) as const);
  return { at: "failed", error: new BluetoothError("link_lost", ""), progress: { phases: reached } };
}

test.each(["secure", "lookup", "authorise"] as const)(
  "after a failure to %s the tag is unchanged",
  (phase) => {
    expect(nextOfJob(failedAt(phase), t)).toBe(`${NEXT} passenger.unchanged`);
  },
);

test.each(["connect", "write", "display", "attach"] as const)(
  "after a failure to %s nothing is said of what the tag shows",
  (phase) => {
    expect(nextOfJob(failedAt(phase), t)).toBe(NEXT);
  },
);

test("of a job that has not failed nothing is advised", () => {
  expect(nextOfJob({ at: "ready" }, t)).toBeUndefined();
});
