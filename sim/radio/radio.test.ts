import { beforeAll, describe, expect, it } from "vitest";
import { payloadDigest } from "../../core/bag/payload.ts";
import { type Bytes, equalBytes } from "../../core/encoding/bytes.ts";
import { STATUS } from "../../core/gatt/profile.ts";
import type { Hello } from "../../core/sec/records.ts";
import { commitMark } from "../../core/sec/statement.ts";
import type { TagSimulator } from "../tag/tag-simulator.ts";
import type { TagEvent, TagFaults } from "../tag/tag-types.ts";
import { Central } from "../test-support/central.ts";
import { drive, sleepIn } from "../test-support/clockwork.ts";
import { type Parties, parties, tagOf } from "../test-support/parties.ts";
import { withSlowCrypto } from "../test-support/slow-crypto.ts";
import { LABEL, PAYLOAD } from "../test-support/stages.ts";
import { storyOf } from "../test-support/story.ts";
import { VirtualWorld } from "../virtual-world.ts";
import { BAD_RADIO, GOOD_RADIO, type RadioQuality, seededRadio } from "./radio-model.ts";

/** More of them by night: `VITE_SEEDS=2000`. */
const SEEDS = Number(import.meta.env.VITE_SEEDS ?? 20);
/** Stories told twice. */
const AGAIN = Math.ceil(SEEDS / 5);
const FRAMES = [20, 182, 244, 512] as const;

let people: Parties;
let digest: Bytes;
beforeAll(async () => {
  people = await parties();
  digest = await payloadDigest(PAYLOAD);
});

interface Run {
  readonly outcome: "committed" | "failed";
  readonly seconds: number;
  readonly events: readonly TagEvent[];
  readonly tag: TagSimulator;
}

/** Tries like a client would: again after every failure, and only what the hello says is still to be done. */
async function persist(
  tag: TagSimulator,
  world: VirtualWorld,
  frame: number,
): Promise<"committed" | "failed"> {
  let before: Hello | undefined;
  let mark: Bytes | undefined;
  for (let attempt = 0; attempt < 12; attempt++) {
    const central = new Central(tag, world, people);
    central.frame = frame;
    try {
      await tag.connect();
      while ((await central.status()).state === "COMMITTING") await sleepIn(world, 500);
      const hello = await central.handshake();
      before ??= hello;
      const done = hello.mark !== null && mark !== undefined && equalBytes(hello.mark, mark);
      mark = await commitMark(hello.nonce, digest);
      if (hello.commits > before.commits && done) return "committed";
      if ((await central.transfer(PAYLOAD)) === STATUS.COMMITTED) return "committed";
    } catch {
      // Whatever it was: the link, an alert, a cut frame. The next hello says what came of it.
    }
    tag.disconnect();
    await sleepIn(world, 1_000);
  }
  return "failed";
}

interface Mishap {
  /** Milliseconds after which the battery is taken out. */
  readonly rebootAt?: number;
  readonly dropAt?: TagFaults["dropAt"];
}

async function run(
  seed: number,
  quality: RadioQuality,
  { rebootAt, dropAt = null }: Mishap = {},
): Promise<Run> {
  const world = new VirtualWorld(seed);
  const frame = FRAMES[seed % FRAMES.length] as number;
  const tag = await tagOf(people, world, { frame, displayMs: seed % 5 === 0 ? 15_000 : 900 });
  tag.faults.radio = seededRadio(seed, quality);
  tag.faults.dropAt = dropAt;
  const events: TagEvent[] = [];
  tag.observe((event) => events.push(event));
  if (rebootAt !== undefined) world.after(rebootAt, () => tag.reboot());
  const outcome = await drive(world, () => persist(tag, world, frame));
  const seconds = world.now() / 1_000;
  tag.disconnect();
  world.advance(60_000);
  return { outcome, seconds, events, tag };
}

function expectHonest({ outcome, seconds, events, tag }: Run): void {
  const { commits, display, mark } = tag.snapshot();
  // Never twice, and never success without it.
  expect(commits).toBe(outcome === "committed" ? 1 : Math.min(commits, 1));
  expect(display).toEqual(
    commits === 1 ? { state: "LABEL", content: LABEL } : { state: "BLANK", content: null },
  );
  expect(mark === null ? 0 : 1).toBe(commits);
  const shown = events.filter((event) => event.type === "display" && event.state === "LABEL").length;
  const committed = events.filter((event) => event.type === "state" && event.to === "COMMITTED").length;
  expect([shown, committed]).toEqual([commits, commits]);
  expect(seconds).toBeLessThan(600);
}

describe("a transfer over the radio", () => {
  it.each(FRAMES.map((frame, i) => [frame, i + 1] as const))(
    "with frames of %i bytes succeeds at once",
    async (_frame, seed) => {
      const result = await run(seed + 3, GOOD_RADIO);
      expect(result.outcome).toBe("committed");
      expectHonest(result);
    },
  );

  it(`is honest about its outcome in a baggage hall, ${SEEDS} times`, { timeout: 600_000 }, async () => {
    let succeeded = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const result = await run(seed, BAD_RADIO);
      expectHonest(result);
      if (result.outcome === "committed") succeeded++;
    }
    expect(succeeded / SEEDS).toBeGreaterThan(0.8);
  });

  it("is honest when the battery is taken out, at any moment", async () => {
    for (let moment = 0; moment < 3_000; moment += 150) {
      expectHonest(await run(7, GOOD_RADIO, { rebootAt: moment }));
    }
  });

  it.each(["before", "after"] as const)(
    "is finished once, by itself, wherever the link falls once: %s any operation",
    async (when) => {
      const undisturbed = await run(5, GOOD_RADIO);
      const operations = undisturbed.events.filter(({ type }) => type === "gatt").length;
      expect(operations).toBeGreaterThan(15);
      for (let operation = 1; operation <= operations; operation++) {
        const result = await run(5, GOOD_RADIO, { dropAt: { operation, when } });
        expect(result.outcome).toBe("committed");
        expectHonest(result);
      }
    },
  );

  it("repeats exactly for the same seed, however long the computing takes", async () => {
    for (let seed = 40; seed < 40 + AGAIN; seed++) {
      const again = () => run(seed, BAD_RADIO).then(({ events }) => storyOf(events));
      const story = await again();
      expect(await withSlowCrypto(again), `seed ${seed}`).toEqual(story);
    }
  });
});
