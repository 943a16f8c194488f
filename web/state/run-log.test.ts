import "fake-indexeddb/auto";
import { expect, test } from "vitest";
import type { RunRecord } from "../../sdk/index.ts";
import { fakeTaglatch } from "../test-support/fake-taglatch.ts";
import { keepRuns, RUNS_KEPT, runLog } from "./run-log.ts";

const run = (elapsed: number): RunRecord => ({
  operation: "transfer",
  startedAt: 1_700_000_000_000 + elapsed,
  elapsed,
  outcome: "ok",
  phases: [{ phase: "connect", at: 0, duration: elapsed }],
  retries: [],
});

test("runs come back newest first, on the next visit too", async () => {
  await runLog("first").add(run(1));
  await runLog("first").add(run(2));
  expect((await runLog("first").all()).map(({ elapsed }) => elapsed)).toEqual([2, 1]);
});

test("the oldest go when there are too many", async () => {
  const log = runLog("many");
  for (let i = 0; i < RUNS_KEPT + 3; i++) await log.add(run(i));
  const kept = await log.all();
  expect([kept.length, kept.at(0)?.elapsed, kept.at(-1)?.elapsed]).toEqual([RUNS_KEPT, RUNS_KEPT + 2, 3]);
});

test("deleted is deleted", async () => {
  const log = runLog("gone");
  await log.add(run(1));
  await log.clear();
  expect(await log.all()).toEqual([]);
});

test("every run of the SDK is stored as it ends, until stopped", async () => {
  const listeners = new Set<(run: RunRecord) => void>();
  const client = {
    ...fakeTaglatch(),
    diagnostics: {
      runs: () => [],
      subscribe: (listener: (run: RunRecord) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
  const added: number[] = [];
  const log = { ...runLog("unused"), add: async ({ elapsed }: RunRecord) => void added.push(elapsed) };
  const stop = keepRuns(client, log);
  for (const listener of listeners) listener(run(7));
  stop();
  for (const listener of listeners) listener(run(8));
  expect(added).toEqual([7]);
});
