import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { describe, expect, test } from "vitest";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { BAD_RADIO, GOOD_RADIO, seededRadio } from "../../sim/radio/radio-model.ts";
import { withSlowCrypto } from "../../sim/test-support/slow-crypto.ts";
import { storyOf } from "../../sim/test-support/story.ts";
import { neverCancelled, sleep } from "../abort.ts";
import type { FaultRow } from "../test-support/radio-faults.ts";
import { type Job, runJob } from "../test-support/radio-job.ts";
import { radioScene } from "../test-support/radio-scene.ts";
import { valueIn } from "../test-support/value-in.ts";

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

const RIGHT = { recordLocator: "ABC123", surname: "Lovelace" };

/** A transfer to a stranger's tag by a person who needs `seconds` to find the booking. */
async function transferAfter(seconds: number, generation: GattVersion) {
  const scene = await radioScene({ generation, seed: seconds, radio: seededRadio(seconds, GOOD_RADIO) });
  scene.service.lockToStranger(scene.request.uniqueDeviceId);
  await scene.pick();
  let asked = 0;
  const collector = {
    async collect() {
      asked++;
      await sleep(seconds * 1_000, neverCancelled());
      return RIGHT;
    },
  };
  const result = await scene.time.run(seconds * 1_000 + 60_000, () =>
    scene.client.transferTag(scene.request, collector),
  );
  const links = scene.events.filter((event) => event.type === "link" && event.change === "connected").length;
  const fresh = scene.events.filter((event) => event.type === "record" && event.name === "fresh").length;
  const misses = scene.events.filter(
    (event) => event.type === "state" && event.because === "tokenRefused",
  ).length;
  return {
    device: valueIn(result).device,
    commits: scene.tag.snapshot().commits,
    asked,
    links,
    fresh,
    misses,
    scene,
  };
}

describe.each(["2.1", "2.0"] as const)("a custody proof before a v%s tag that takes", (generation) => {
  test.each([5, 29, 31, 119, 121, 290, 301, 900])(
    "%i s ends with the label, asked once, chosen once",
    async (seconds) => {
      const { commits, asked, links, misses, scene } = await transferAfter(seconds, generation);
      expect({ commits, asked, misses, choosers: scene.choosers() }).toEqual({
        commits: 1,
        asked: 1,
        misses: 0,
        choosers: 1,
      });
      expect(links).toBeLessThanOrEqual(2);
    },
  );
});

test("a proof of up to 290 s costs a v2.1 connection nothing but one fresh nonce", async () => {
  for (const [seconds, renewed] of [
    [20, 0],
    [45, 1],
    [290, 1],
  ] as const) {
    const { links, fresh } = await transferAfter(seconds, "2.1");
    expect({ links, fresh }).toEqual({ links: 1, fresh: renewed });
  }
});
