import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { BluetoothError, type CustodyProofPrompt, OperationError, type Phase } from "../../sdk/index.ts";
import { PICKED } from "../test-support/fake-taglatch.ts";
import { drawLater } from "./create-tag-job.ts";
import { initialProgress } from "./job-progress.ts";
import { isBusy, type JobEvent, type JobState, next, promptOf } from "./tag-job.ts";

type Name = JobState["at"];

const progress = initialProgress("transfer");
const prompt: CustodyProofPrompt = {
  uniqueDeviceId: PICKED.uniqueDeviceId,
  hints: {},
  attempt: 1,
  attemptsLeft: 3,
  signal: new AbortController().signal,
};
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
