import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { WEBHOOK_CRON } from "../../core/api/limits.ts";
import { wranglerConfig } from "../deploy/wrangler-config.ts";
import { type Program, start } from "../run.ts";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import { requestText, runOnSchedule, untilNext } from "./start.ts";
import { runningServices } from "./state.ts";

it.each([
  [
    "an answer",
    { method: "POST", route: "/v2/ebt-lookups", status: 200, milliseconds: 12, requestId: "a1" },
    "POST /v2/ebt-lookups 200 12 ms",
  ],
  [
    "a refusal with its reason",
    {
      method: "POST",
      route: "/v2/auth/refresh",
      status: 401,
      milliseconds: 3,
      errorCode: "invalid_refresh_token",
      reason: "overtaken",
    },
    "POST /v2/auth/refresh 401 3 ms invalid_refresh_token (overtaken)",
  ],
  [
    "a failure with its place",
    {
      method: "POST",
      route: "/v2/journeys",
      status: 500,
      milliseconds: 5,
      errorCode: "internal_error",
      cause: "TypeError",
      stack: ["    at a.ts:1"],
    },
    "POST /v2/journeys 500 5 ms internal_error\nTypeError\n    at a.ts:1",
  ],
])("shows %s as one short line", (_what, line, text) => {
  expect(requestText(JSON.stringify(line))).toBe(text);
});

it("leaves alone what is not a line of the service", () => {
  expect(requestText("workerd: something")).toBe("workerd: something");
  expect(requestText('{"other":1}')).toBe('{"other":1}');
});

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

const stateDir = temporaryFolder();
let service: Program | undefined;
afterAll(() => service?.stop());

it("the operator's commands work on the database of the service that runs, wherever that is", async () => {
  vi.useRealTimers();
  const { STATE_DIR: _, ...env } = process.env;
  const run = (words: string, more: object) =>
    start(process.execPath, words.split(" "), { env: { ...env, ...more } });
  service = run("scripts/serve/start.ts", { PORT: "0", STATE_DIR: stateDir });
  const [, port] = await service.prints(/^ready http:\/\/localhost:(\d+)/m);
  const { code, output } = await run("scripts/ops/ops.ts plates list", { PORT: port }).ended;
  expect(code).toBe(0);
  expect(output.split("\n")).toContain(`database: this machine's, ${stateDir}`);
  await service.stop();
  expect(runningServices().filter((each) => each.stateDir === stateDir)).toEqual([]);
});
