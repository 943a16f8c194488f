// @vitest-environment jsdom
import { createRoot, createSignal } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { COUNTDOWN, createIdle, createInactivityTimer, QUIET } from "./idle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const SIGNS = [new Event("pointerdown"), new Event("keydown"), new Event("wheel")];

test("what staff open closes after its time without a touch, counted from the last one", () => {
  const act = vi.fn();
  const dispose = createRoot((end) => {
    createInactivityTimer(1_000, act);
    return end;
  });
  for (const sign of SIGNS) {
    vi.advanceTimersByTime(999);
    dispatchEvent(sign);
  }
  vi.advanceTimersByTime(999);
  expect(act).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(act).toHaveBeenCalledTimes(1);
  dispose();
});

test("nothing of it is left once it is closed: no timer, no listener", () => {
  const act = vi.fn();
  const dispose = createRoot((end) => {
    createInactivityTimer(1_000, act);
    return end;
  });
  dispose();
  for (const sign of SIGNS) dispatchEvent(sign);
  vi.advanceTimersByTime(10_000);
  expect(act).not.toHaveBeenCalled();
});

test("a visit without a touch is warned of, then ends, and a touch in between keeps it", () => {
  const [onWarning, onExpired] = [vi.fn(), vi.fn()];
  const [isVisit] = createSignal(true);
  const dispose = createRoot((end) => {
    createIdle({ isVisit, isWriting: () => false, isSpoken: () => false, onWarning, onExpired });
    return end;
  });
  vi.advanceTimersByTime(QUIET - 1);
  dispatchEvent(new Event("pointerdown"));
  vi.advanceTimersByTime(QUIET - 1);
  expect(onWarning).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1 + COUNTDOWN * 1_000);
  expect([onWarning.mock.calls.length, onExpired.mock.calls.length]).toEqual([1, 1]);
  dispose();
});
