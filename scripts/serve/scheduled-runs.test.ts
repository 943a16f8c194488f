import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { WEBHOOK_CRON } from "../../core/api/limits.ts";
import { wranglerConfig } from "../deploy/wrangler-config.ts";
import { runOnSchedule, untilNext } from "./scheduled-runs.ts";

const NOON = Date.UTC(2026, 10, 2, 12);
const MINUTE = 60_000;
const crons = wranglerConfig().triggers.crons ?? [];

beforeEach(() => vi.useFakeTimers({ now: NOON + 1 }));
afterEach(() => vi.useRealTimers());

it.each([
  ["*/5 * * * *", 0, 5 * MINUTE],
  ["*/5 * * * *", 1, 5 * MINUTE - 1],
  ["*/5 * * * *", 7 * MINUTE, 3 * MINUTE],
  ["* * * * *", 30_000, 30_000],
])("%s, %i ms after noon, comes in %i ms", (cron, after, wait) => {
  expect(untilNext(cron, NOON + after)).toBe(wait);
});

it.each(["0 3 * * *", "*/7 * * * *", "*/5 3 * * *", "*/0 * * * *", ""])("%s is refused", (cron) => {
  expect(() => untilNext(cron, NOON)).toThrow(TypeError);
});

it("every trigger of wrangler.toml runs here at the minutes at which it runs in a deployment, webhooks more often", async () => {
  const runs: (readonly [number, string])[] = [];
  const schedule = async (now: number, cron = "") => void runs.push([now, cron]);
  runOnSchedule({ schedule }, crons);
  await vi.advanceTimersByTimeAsync(11 * MINUTE);
  const others = runs.filter(([, cron]) => cron !== WEBHOOK_CRON);
  expect(others).toEqual([
    [NOON + 5 * MINUTE, "*/5 * * * *"],
    [NOON + 10 * MINUTE, "*/5 * * * *"],
  ]);
  expect(runs.length - others.length).toBe((11 * MINUTE) / 5_000);
});

it("a run that fails does not end those after it", async () => {
  const schedule = vi.fn(() => Promise.reject(new Error("stopped")));
  runOnSchedule({ schedule }, ["*/5 * * * *"]);
  await vi.advanceTimersByTimeAsync(15 * MINUTE);
  expect(schedule).toHaveBeenCalledTimes(3);
});
