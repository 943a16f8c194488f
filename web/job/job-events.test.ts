import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Phase } from "../../sdk/index.ts";
import { drawLater } from "./create-tag-job.ts";
import type { JobEvent } from "./tag-job.ts";

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
