import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { expect, test } from "vitest";
import { BAD_RADIO } from "../../sim/radio/radio-model.ts";
import { withSlowCrypto } from "../../sim/test-support/slow-crypto.ts";
import { storyOf } from "../../sim/test-support/story.ts";
import type { FaultRow } from "../test-support/radio-faults.ts";
import { type Job, runJob } from "../test-support/radio-job.ts";
import { radioScene } from "../test-support/radio-scene.ts";

const row: FaultRow = { name: "a baggage hall", quality: BAD_RADIO };
const JOBS: readonly Pick<Job, "generation" | "operation" | "seed">[] = [
  { generation: "2.1", operation: "transfer", seed: 1 },
  { generation: "2.1", operation: "clear", seed: 2 },
  { generation: "2.0", operation: "transfer", seed: 3 },
  { generation: "2.0", operation: "clear", seed: 4 },
];

test.each(JOBS)(
  "a $operation to a v$generation tag repeats exactly for the same seed, however long the computing takes",
  async (job) => {
    const again = async () => {
      const { outcome, took, scene } = await runJob({ ...job, row, step: "INFO" });
      return { outcome, took, story: storyOf(scene.events) };
    };
    const first = await again();
    expect(await withSlowCrypto(again)).toEqual(first);
  },
);

/** Done before the next turn of the event loop: promises, Node's own ticks, and the random bytes of `randomUUID`. */
const WITHIN_A_TURN = ["PROMISE", "TickObject", "Microtask", "RANDOMBYTESREQUEST"];

test("time passes only while the platform does nothing", async () => {
  const scene = await radioScene({ generation: "2.1", seed: 1 });
  const { world } = scene.time;
  const underWay = new Map<number, string>();
  const surprises: string[] = [];
  // The test runner has timers of its own.
  const ours = new AsyncLocalStorage<true>();
  const hook = createHook({
    init: (id, type) => ours.getStore() && !WITHIN_A_TURN.includes(type) && underWay.set(id, type),
    before: (id) => underWay.delete(id),
  });
  const advance = world.advance.bind(world);
  world.advance = (milliseconds) => {
    surprises.push(...underWay.values());
    advance(milliseconds);
  };
  hook.enable();
  try {
    await ours.run(true, async () => {
      await scene.pick();
      await scene.job(() => scene.client.transferTag(scene.request));
    });
  } finally {
    hook.disable();
  }
  expect(scene.tag.snapshot().commits).toBe(1);
  expect(surprises).toEqual([]);
});
