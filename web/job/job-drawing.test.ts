import { describe, expect, test } from "vitest";
import type { ProgressEvent } from "../../sdk/index.ts";
import { OperationError, PHASES, type Phase } from "../../sdk/index.ts";
import { PICKED } from "../test-support/fake-taglatch.ts";
import { displayOf } from "./JobDrawing.tsx";
import { initialProgress } from "./job-progress.ts";
import { type JobState, next } from "./tag-job.ts";

/** A transfer whose tag has been chosen, after these events. */
function having(...events: readonly ProgressEvent[]): JobState {
  const begun: JobState = { at: "working", progress: initialProgress("transfer"), tag: PICKED };
  return events.reduce<JobState>((job, by) => next(job, { type: "progressed", by }), begun);
}
/** Every phase up to this one, as the SDK reports them. */
const until = (last: Phase): ProgressEvent[] =>
  PHASES.slice(0, PHASES.indexOf(last) + 1)
    .filter((phase) => phase !== "proof")
    .flatMap((phase): ProgressEvent[] => [
      { type: "started", phase, at: 0 },
      ...(phase === last ? [] : [{ type: "done", phase, at: 0, duration: 0 } as const]),
    ]);
const done = (phase: Phase): ProgressEvent => ({ type: "done", phase, at: 0, duration: 0 });
/** What the SDK reports at the tag's COMMITTED. */
const COMMITTED: ProgressEvent = { type: "progress", phase: "display", at: 0, fraction: 1 };

describe("the drawing of a job", () => {
  test("has nothing of the label while nothing has been sent", () => {
    for (const phase of ["connect", "secure", "lookup", "authorize"] as const)
      expect(displayOf(having(...until(phase)))).toEqual({ shows: "changing", sent: 0 });
  });

  test("is the label that a tag still shows, until the first bytes that clear it", () => {
    const sent = { type: "progress", phase: "write", at: 0, fraction: 0.4 } as const;
    expect(displayOf(having(...until("authorize")), true)).toEqual({ shows: "before" });
    expect(displayOf(having(...until("write"), sent), true)).toEqual({ shows: "changing", sent: 0.4 });
    expect(displayOf(having(...until("display")), true)).toMatchObject({ isFlashing: true });
  });

  test("draws the label in with the bytes that have been sent", () => {
    const sent = { type: "progress", phase: "write", at: 0, fraction: 0.4 } as const;
    expect(displayOf(having(...until("write"), sent))).toEqual({ shows: "changing", sent: 0.4 });
  });

  test("flashes from the commit on, and shows nothing that the tag has not said", () => {
    const changing = { shows: "changing", sent: 1, isFlashing: true };
    expect(displayOf(having(...until("display")))).toEqual(changing);
    // A link that falls ends the phase, too.
    expect(displayOf(having(...until("display"), done("display")))).toEqual(changing);
  });

  test("shows the label once the tag has said COMMITTED, and no sooner", () => {
    expect(displayOf(having(...until("attach")))).toMatchObject({ shows: "changing" });
    expect(displayOf(having(...until("display"), COMMITTED))).toEqual({ shows: "after" });
    expect(displayOf(having(...until("display"), COMMITTED, done("display")))).toEqual({ shows: "after" });
  });

  test("of a job that failed shows what was there before", () => {
    const failed = next(having(...until("write")), {
      type: "failed",
      error: new OperationError("internal", ""),
    });
    expect(displayOf(failed)).toEqual({ shows: "before" });
  });
});
