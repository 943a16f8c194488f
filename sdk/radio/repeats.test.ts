import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { describe, expect, test } from "vitest";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { BAD_RADIO, GOOD_RADIO, seededRadio } from "../../sim/radio/radio-model.ts";
import { seeded } from "../../sim/seeded.ts";
import type { TagEvent } from "../../sim/tag/tag-types.ts";
import { neverCancelled, sleep } from "../abort.ts";
import type { FaultRow } from "../test-support/radio-faults.ts";
import { type Job, runJob } from "../test-support/radio-job.ts";
import { radioScene } from "../test-support/radio-scene.ts";
import { valueIn } from "../test-support/value-in.ts";

/** WebCrypto as on a busy machine: each operation answers some milliseconds late, in no order. */

const real = globalThis.setTimeout;

type Operation = (...values: unknown[]) => Promise<unknown>;

/** Resolves as `work` does, with slow WebCrypto. */
export async function withSlowCrypto<Value>(work: () => Promise<Value>): Promise<Value> {
  const prototype = Object.getPrototypeOf(crypto.subtle) as Record<string, Operation>;
  const random = seeded(1);
  const quick = Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const operation: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
    return name !== "constructor" && typeof operation === "function"
      ? [[name, operation as Operation] as const]
      : [];
  });
  for (const [name, operation] of quick)
    prototype[name] = async function late(this: SubtleCrypto, ...values: unknown[]) {
      const answer = operation.apply(this, values);
      await answer.catch(() => undefined);
      await new Promise((resolve) => void real(resolve, 4 * random()));
      return answer;
    };
  try {
    return await work();
  } finally {
    for (const [name, operation] of quick) prototype[name] = operation;
  }
}

/** A token's own number and times: real ones, in any world. */
const OF_TOKENS = ["cti", "iat", "exp"];

/** What happened and when. Keys, nonces and signatures are random, so only their lengths are in it. */
export function storyOf(events: readonly TagEvent[]): string[] {
  const asText = (key: string, value: unknown) => {
    if (OF_TOKENS.includes(key)) return undefined;
    return isBytes(value) ? value.length : value;
  };
  return events.map((event) => JSON.stringify(event, asText));
}

function isBytes(value: unknown): value is Uint8Array | string {
  return value instanceof Uint8Array || (typeof value === "string" && /^[0-9a-f]{32,}$/.test(value));
}

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
