import { describe, expect, test } from "vitest";
import type { Phase } from "../../sdk/index.ts";
import { activePhase, advance, fail, initialProgress, shareDone } from "./job-progress.ts";

const states = (progress: ReturnType<typeof initialProgress>) =>
  progress.phases.map((item) => `${item.phase} ${item.state}`);

describe("the progress of a job", () => {
  test("a transfer plans seven phases and no proof", () => {
    expect(initialProgress("transfer").phases.map((item) => item.phase)).toEqual([
      "connect",
      "secure",
      "lookup",
      "authorize",
      "write",
      "display",
      "attach",
    ]);
  });

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
