import { describe, expect, test } from "vitest";
import { isBusy, JOB_EVENTS, JOB_STATES, type JobEvent, type JobState, next } from "./tag-job.ts";

/** Written beside the table, not taken from it: every pair not listed here must change nothing. */
const MOVES: readonly (readonly [JobState, JobEvent, JobState])[] = [
  ["ready", "choose", "choosing"],
  ["choosing", "chosen", "connecting"],
  ["choosing", "picked", "working"],
  ["choosing", "pickedLow", "warned"],
  ["choosing", "cancel", "cancelling"],
  ["choosing", "cancelled", "ready"],
  ["choosing", "failed", "failed"],
  ["connecting", "picked", "working"],
  ["connecting", "pickedLow", "warned"],
  ["connecting", "cancel", "cancelling"],
  ["connecting", "cancelled", "ready"],
  ["connecting", "failed", "failed"],
  ["warned", "accept", "working"],
  ["warned", "cancel", "ready"],
  ["working", "prove", "proving"],
  ["working", "cancel", "cancelling"],
  ["working", "cancelled", "ready"],
  ["working", "succeeded", "done"],
  ["working", "kept", "pending"],
  ["working", "failed", "failed"],
  ["proving", "proved", "working"],
  ["proving", "cancel", "cancelling"],
  ["proving", "cancelled", "ready"],
  ["proving", "succeeded", "done"],
  ["proving", "kept", "pending"],
  ["proving", "failed", "failed"],
  ["cancelling", "cancelled", "ready"],
  ["cancelling", "succeeded", "done"],
  ["cancelling", "kept", "pending"],
  ["cancelling", "failed", "failed"],
  ["done", "reset", "ready"],
  ["pending", "confirmed", "done"],
  ["pending", "reset", "ready"],
  ["failed", "choose", "choosing"],
  ["failed", "reset", "ready"],
];

const PAIRS = JOB_STATES.flatMap((state) => JOB_EVENTS.map((event) => [state, event] as const));

describe("the life of a tag job", () => {
  test.each(PAIRS)("in %s, %s leads where it should", (state, event) => {
    const move = MOVES.find(([from, on]) => from === state && on === event);
    expect(next(state, event)).toBe(move ? move[2] : state);
  });

  test("every state can be reached from the start", () => {
    const reached = new Set<JobState>(["ready"]);
    for (const state of reached) for (const event of JOB_EVENTS) reached.add(next(state, event));
    expect([...reached].sort()).toEqual([...JOB_STATES].sort());
  });

  test("cancel is answered in every busy state", () => {
    for (const state of JOB_STATES.filter(isBusy)) {
      expect(["cancelling", "ready"]).toContain(next(state, "cancel"));
    }
  });

  test("nothing but a reset, a new choice or a confirmation leaves an outcome", () => {
    for (const state of ["done", "pending", "failed"] as const) {
      const leaving = JOB_EVENTS.filter((event) => next(state, event) !== state);
      expect(["choose", "reset", "confirmed"]).toEqual(expect.arrayContaining(leaving));
    }
  });
});
