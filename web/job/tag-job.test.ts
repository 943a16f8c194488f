// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { BluetoothError, OperationError, PHASES, type Phase, type ProgressEvent } from "../../sdk/index.ts";
import type { ProofTries } from "../state/app-state.tsx";
import { PICKED, promptOf as proofPrompt } from "../test-support/fake-taglatch.ts";
import { drawLater } from "./create-tag-job.ts";
import { displayOf } from "./JobWorking.tsx";
import { addWrong, wrongProofs } from "./run-tag-job.ts";
import {
  activePhase,
  advance,
  fail,
  initialProgress,
  isBusy,
  type JobEvent,
  type JobState,
  next,
  promptOf,
  shareDone,
} from "./tag-job.ts";

type Name = JobState["at"];

const progress = initialProgress("transfer");
const prompt = proofPrompt();
const answer = () => undefined;
const known = { deviceId: "radio-1", name: PICKED.name };
const begun = { progress, known, tag: PICKED };
const cancelled = new OperationError("cancelled", "");
const lost = new BluetoothError("link_lost", "");

const JOBS: { readonly [At in Name]: JobState & { readonly at: At } } = {
  ready: { at: "ready" },
  choosing: { at: "choosing", progress, known },
  connecting: { at: "connecting", progress, known },
  warned: { ...begun, at: "warned" },
  carrying: { ...begun, at: "carrying", baggageId: 1 },
  working: { ...begun, at: "working" },
  proving: { ...begun, at: "proving", prompt, answer },
  cancelling: { ...begun, at: "cancelling" },
  done: { ...begun, at: "done" },
  pending: { ...begun, at: "pending" },
  failed: { ...begun, at: "failed", error: lost },
};
const EVENTS: { readonly [Type in JobEvent["type"]]: JobEvent & { readonly type: Type } } = {
  choose: { type: "choose", progress, known },
  chosen: { type: "chosen" },
  progressed: { type: "progressed", by: { type: "started", phase: "secure", at: 1 } },
  picked: { type: "picked", tag: PICKED },
  pickedLowBattery: { type: "pickedLowBattery", tag: PICKED },
  accept: { type: "accept" },
  carries: { type: "carries", baggageId: 1 },
  prove: { type: "prove", prompt, answer },
  proved: { type: "proved" },
  promptClosed: { type: "promptClosed", prompt: undefined },
  cancel: { type: "cancel" },
  cancelled: { type: "cancelled", error: cancelled },
  succeeded: { type: "succeeded" },
  queued: { type: "queued" },
  confirmed: { type: "confirmed" },
  failed: { type: "failed", error: lost },
  reset: { type: "reset" },
};
const STATES = Object.values(JOBS);
const { progressed, ...OTHERS } = EVENTS;

describe("the life of a tag job", () => {
  test("every state can be reached from the start", () => {
    const reached = new Set<Name>(["ready"]);
    for (const at of reached)
      for (const event of Object.values(OTHERS)) reached.add(next(JOBS[at], event).at);
    expect([...reached].sort()).toEqual(STATES.map(({ at }) => at).sort());
  });

  test("cancel is answered in every busy state", () => {
    for (const job of STATES.filter(isBusy))
      expect(["cancelling", "ready"]).toContain(next(job, EVENTS.cancel).at);
  });

  test("nothing but a reset, a new choice, a confirmation or its refusal leaves an outcome", () => {
    for (const at of ["done", "pending", "failed"] as const) {
      const leaving = Object.values(OTHERS).filter((event) => next(JOBS[at], event) !== JOBS[at]);
      const allowed = ["choose", "reset", "confirmed", ...(at === "pending" ? ["failed"] : [])];
      expect(allowed).toEqual(expect.arrayContaining(leaving.map(({ type }) => type)));
    }
  });
});

describe("what is known of a tag job", () => {
  test("is shown where it is in the steps, as long as there are steps to see", () => {
    expect(next(JOBS.ready, progressed)).toBe(JOBS.ready);
    for (const job of STATES.filter(({ at }) => at !== "ready"))
      expect(next(job, progressed)).toMatchObject({
        at: job.at,
        progress: {
          phases: expect.arrayContaining([
            { phase: "secure", state: "active", startedAt: 1, retrying: false },
          ]),
        },
      });
  });

  test("is why it ended, and in which step", () => {
    const secure = next(JOBS.working, progressed);
    expect(next(secure, EVENTS.failed)).toMatchObject({
      error: lost,
      progress: {
        phases: expect.arrayContaining([expect.objectContaining({ phase: "secure", state: "failed" })]),
      },
    });
    expect(next(secure, EVENTS.cancelled)).toEqual({ at: "ready", error: cancelled, tag: PICKED });
  });

  test("goes with a new choice: neither the tag nor the error of before is in it", () => {
    expect(next(JOBS.failed, { type: "choose", progress, known: undefined })).toEqual({
      at: "choosing",
      progress,
    });
  });

  test("is what is asked, until the answer is known to be right", () => {
    const checking = next(JOBS.proving, EVENTS.proved);
    expect(promptOf(JOBS.proving)).toBe(prompt);
    expect(promptOf(checking)).toBe(prompt);
    expect(checking).not.toHaveProperty("answer");
    expect(promptOf(next(checking, progressed))).toBe(prompt);
    const over = [
      { type: "done", phase: "proof", at: 2, duration: 1 },
      { type: "started", phase: "authorize", at: 2 },
    ] as const;
    for (const by of over) expect(promptOf(next(checking, { type: "progressed", by }))).toBeUndefined();
    expect(promptOf(next(checking, EVENTS.promptClosed))).toBeUndefined();
    expect(promptOf(next(JOBS.proving, EVENTS.cancel))).toBeUndefined();
  });
});

describe("what a tag job reports", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const started = (phase: Phase): JobEvent => ({
    type: "progressed",
    by: { type: "started", phase, at: 1 },
  });
  const CHOSEN: JobEvent = { type: "chosen" };

  /** What was drawn, together what was drawn at once. */
  function drawing() {
    const drawn: (readonly JobEvent[])[] = [];
    const events = drawLater((some) => {
      if (some.length > 0) drawn.push(some);
      return { at: "ready" };
    });
    return { drawn, ...events };
  }

  test("news is drawn together, in a task behind the one that brought it", () => {
    const { drawn, report } = drawing();
    report(CHOSEN);
    report(started("connect"));
    expect(drawn).toEqual([]);
    vi.runAllTimers();
    expect(drawn).toEqual([[CHOSEN, started("connect")]]);
  });

  test("news that follows waits until a tenth of a second after the last drawing", () => {
    const { drawn, report } = drawing();
    report(CHOSEN);
    vi.advanceTimersByTime(0);
    report(started("connect"));
    vi.advanceTimersByTime(99);
    report(started("secure"));
    expect(drawn).toEqual([[CHOSEN]]);
    vi.advanceTimersByTime(1);
    expect(drawn).toEqual([[CHOSEN], [started("connect"), started("secure")]]);
  });

  test.each([
    ["the commit, which the page has to outlast,", started("display")],
    ["an outcome", { type: "succeeded" }],
    ["a question", { type: "carries", baggageId: 1 }],
  ] as const)("%s is drawn at once, behind the news before it", (_what, event) => {
    const { drawn, report } = drawing();
    report(CHOSEN);
    report(event);
    expect(drawn).toEqual([[CHOSEN, event]]);
  });

  test("what a person does is drawn at once, behind the news before it", () => {
    const { drawn, report, send } = drawing();
    report(started("write"));
    send({ type: "cancel" });
    expect(drawn).toEqual([[started("write"), { type: "cancel" }]]);
  });
});

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

const states = (progress: ReturnType<typeof initialProgress>) =>
  progress.phases.map((item) => `${item.phase} ${item.state}`);

describe("the progress of a job", () => {
  test("a proof that is asked for takes its place between lookup and authorization", () => {
    const progress = advance(initialProgress("transfer"), { type: "started", phase: "proof", at: 10 });
    expect(states(progress).slice(2, 5)).toEqual(["lookup waiting", "proof active", "authorize waiting"]);
  });

  test("a token that is refused for want of a proof is still to come", () => {
    const refused = [
      { type: "started", phase: "authorize", at: 1 },
      { type: "done", phase: "authorize", at: 2, duration: 1 },
      { type: "started", phase: "proof", at: 2 },
    ] as const;
    const progress = refused.reduce<ReturnType<typeof initialProgress>>(advance, initialProgress("transfer"));
    expect(states(progress).slice(3, 5)).toEqual(["proof active", "authorize waiting"]);
    expect(activePhase(progress)?.phase).toBe("proof");
  });

  test("a phase is active from its start to its end", () => {
    const started = advance(initialProgress("clear"), { type: "started", phase: "connect", at: 5 });
    expect(activePhase(started)).toMatchObject({ phase: "connect", startedAt: 5 });
    const done = advance(started, { type: "done", phase: "connect", at: 9, duration: 4 });
    expect(activePhase(done)).toBeUndefined();
    expect(done.phases[0]).toMatchObject({ state: "done", duration: 4 });
  });

  test("a retry is visible until the phase starts again or ends", () => {
    const retrying = advance(initialProgress("transfer"), {
      type: "retrying",
      phase: "connect",
      at: 600,
      reason: "connect_failed",
    });
    expect(retrying.phases[0]).toMatchObject({ state: "active", retrying: true });
    expect(
      advance(retrying, { type: "done", phase: "connect", at: 9, duration: 9 }).phases[0]?.retrying,
    ).toBe(false);
  });

  test("a failure marks the phase it happened in and leaves the others", () => {
    const writing = advance(initialProgress("transfer"), { type: "started", phase: "write", at: 1 });
    expect(states(fail(writing)).filter((state) => state.endsWith("failed"))).toEqual(["write failed"]);
    const ended = advance(writing, { type: "done", phase: "write", at: 2, duration: 1 });
    expect(states(fail(ended)).filter((state) => state.endsWith("failed"))).toEqual(["write failed"]);
  });
});

describe("the bar", () => {
  const at = (phase: Phase) => advance(initialProgress("transfer"), { type: "started", phase, at: 0 });
  const displaying = ["connect", "secure", "lookup", "authorize", "write"].reduce(
    (progress, phase) => advance(progress, { type: "done", phase: phase as Phase, at: 0, duration: 0 }),
    at("display"),
  );

  test("is empty before the first phase, and never full before the last has ended", () => {
    expect(shareDone(initialProgress("transfer"), 0)).toBe(0);
    expect(shareDone(at("connect"), 3_600_000)).toBeLessThan(0.25);
    const done = initialProgress("transfer").phases.map((item) => ({ ...item, state: "done" }) as const);
    expect(shareDone({ phases: done }, 0)).toBe(1);
  });

  test("fills with the time that this tag's e-paper took the last time", () => {
    const fast = shareDone(displaying, 1_000, 1_000);
    const slow = shareDone(displaying, 1_000, 20_000);
    expect(slow).toBeLessThan(fast);
    expect(shareDone(displaying, 10_000, 20_000)).toBeGreaterThan(slow);
  });

  test("does not count a person's time for a proof", () => {
    const asked = at("proof");
    expect(shareDone(asked, 60_000)).toBe(shareDone(asked, 0));
  });
});

const MINUTE = 60_000;

test("wrong proofs add up at one tag, and count for a quarter of an hour after the last", () => {
  const tries: ProofTries = new Map();
  addWrong(tries, "ebt-1", 1, 0);
  addWrong(tries, "ebt-1", 1, 10 * MINUTE);
  expect(wrongProofs(tries, "ebt-1", 25 * MINUTE - 1)).toBe(2);
  expect(wrongProofs(tries, "ebt-1", 25 * MINUTE)).toBe(0);
  expect(wrongProofs(tries, "ebt-2", 10 * MINUTE)).toBe(0);
});

test("used-up tries stay used up until then, and begin at nothing after it", () => {
  const tries: ProofTries = new Map();
  addWrong(tries, "ebt-1", Number.POSITIVE_INFINITY, 0);
  addWrong(tries, "ebt-1", 1, MINUTE);
  expect(wrongProofs(tries, "ebt-1", 15 * MINUTE - 1)).toBe(Number.POSITIVE_INFINITY);
  addWrong(tries, "ebt-1", 1, 15 * MINUTE);
  expect(wrongProofs(tries, "ebt-1", 15 * MINUTE)).toBe(1);
});
