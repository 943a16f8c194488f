import { expect, it } from "vitest";
import { endpoints } from "../core/api/index.ts";
import { SettingsError } from "./config/env.ts";
import { expectError, startService } from "./test-support/service.ts";

const OUTCOME = {
  ...{ operation: "transfer", phase: "write", outcome: "link_lost", generation: "2.1", model: "BT-300" },
  ...{ firmware: "1.4.0", app: "google chrome/142", os: "android/16", milliseconds: 2_300 },
};
const { path } = endpoints.outcomes;

/** A service that counts; `points` is what the data set was given. */
async function counting(outcomes = "all") {
  const points: (AnalyticsEngineDataPoint | undefined)[] = [];
  const OUTCOME_COUNTS = { writeDataPoint: (point?: AnalyticsEngineDataPoint) => void points.push(point) };
  const service = await startService({ OUTCOMES: outcomes, OUTCOME_COUNTS });
  return { service, points, send: (...sent: readonly object[]) => service.post(path, { outcomes: sent }) };
}

it("counts each outcome, without a key, a session or the database", async () => {
  const { service, points, send } = await counting();
  const clear = { operation: "clear", outcome: "ok", app: "edge/142", os: "windows/15", milliseconds: 900 };
  expect((await send(OUTCOME, clear)).body).toEqual({ received: true });
  expect(points).toEqual([
    {
      indexes: ["transfer"],
      blobs: ["transfer", "write", "link_lost", "2.1", "BT-300", "1.4.0", "google chrome/142", "android/16"],
      doubles: [2_300],
    },
    { indexes: ["clear"], blobs: ["clear", "", "ok", "", "", "", "edge/142", "windows/15"], doubles: [900] },
  ]);
  const line = service.log.at(-1);
  expect(line).toMatchObject({ route: path, calls: 0 });
  expect(Object.keys(line ?? {})).not.toEqual(expect.arrayContaining(["client"]));
  expect(JSON.stringify(line)).not.toMatch(/BT-300|chrome/);
});

it.each([
  ["a model with a serial number", { model: "BT-300 123456" }, 4],
  ["a firmware that is no version", { firmware: "deadbeef" }, 5],
])("counts without %s", async (_what, change, column) => {
  const { points, send } = await counting();
  expect((await send({ ...OUTCOME, ...change })).status).toBe(200);
  expect(points[0]?.blobs?.[column]).toBe("");
});

it.each([
  ["a minor version", { app: "chrome/142.0.7" }],
  ["a device's name", { os: "Pixel 9" }],
  ["an exact duration", { milliseconds: 2_345 }],
  ["an operation of no SDK", { operation: "x" }],
])("refuses %s, and then counts none", async (_what, change) => {
  const { points, send } = await counting();
  expectError(await send(OUTCOME, { ...OUTCOME, ...change }), "invalid_request");
  expect(points).toEqual([]);
});

it("counts nothing where it was switched off, and answers the same", async () => {
  const { points, send } = await counting("off");
  expect((await send(OUTCOME)).body).toEqual({ received: true });
  expect(points).toEqual([]);
});

it.each([
  ["off", undefined],
  ["hosts", "hosts"],
  ["all", "all"],
])("%s stands in the configuration as %s", async (choice, shown) => {
  const { service } = await counting(choice);
  expect((await service.fetch("/.well-known/ebt-configuration")).body.outcomes).toBe(shown);
});

it("does not start without the data set that counts", async () => {
  await expect(startService({ OUTCOMES: "all" })).rejects.toThrow(SettingsError);
});
