import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { WEBHOOK_CRON } from "../../core/api/limits.ts";
import { wranglerConfig } from "../deploy/wrangler-config.ts";
import { type Program, start } from "../run.ts";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import { requestText, runOnSchedule } from "./start.ts";
import { runningServices } from "./state.ts";

const LINE = { method: "POST", route: "/v2/journeys", status: 200, milliseconds: 12, requestId: "a1" };

it.each([
  ["an answer", {}, "POST /v2/journeys 200 12 ms"],
  [
    "a refusal with its reason",
    { status: 401, errorCode: "invalid_refresh_token", reason: "overtaken" },
    "POST /v2/journeys 401 12 ms invalid_refresh_token (overtaken)",
  ],
  [
    "a failure with its place",
    { status: 500, errorCode: "internal_error", cause: "TypeError", stack: ["    at a.ts:1"] },
    "POST /v2/journeys 500 12 ms internal_error\nTypeError\n    at a.ts:1",
  ],
])("shows %s as one short line", (_what, members, text) => {
  expect(requestText(JSON.stringify({ ...LINE, ...members }))).toBe(text);
});

it("leaves alone what is not a line of the service", () => {
  expect(requestText("workerd: something")).toBe("workerd: something");
  expect(requestText('{"other":1}')).toBe('{"other":1}');
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("every trigger of wrangler.toml runs here, webhooks more often, and also after a run that failed", async () => {
  const crons = wranglerConfig().triggers.crons ?? [];
  const schedule = vi.fn(async (_now: number, _cron?: string) => Promise.reject(new Error("stopped")));
  runOnSchedule({ schedule }, crons);
  await vi.advanceTimersByTimeAsync(11 * 60_000);
  const runs = Map.groupBy(schedule.mock.calls, ([, cron]) => cron);
  expect(crons.map((cron) => runs.get(cron)?.length)).toEqual(
    crons.map((cron) => (cron === WEBHOOK_CRON ? 132 : 2)),
  );
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
