import { describe, expect, test } from "vitest";
import { dailyOrFull, FULL } from "../../core/full.test-support.ts";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { BAD_RADIO, GOOD_RADIO, type RadioQuality, seededRadio } from "../../sim/radio/radio-model.ts";
import { neverCancelled, sleep } from "../abort.ts";
import {
  FAULTS,
  type FaultRow,
  type Job,
  type Operation,
  runJob,
  stepsOf,
} from "../test-support/radio-job.ts";
import { radioScene } from "../test-support/radio-scene.ts";
import { valueIn } from "../test-support/value-in.ts";

/** The matrix of one operation: every step × every fault, each cell as often as there are runs for it. */

/** Seeded jobs of each operation in a full run; in a daily one some cells come, once. */
const MATRIX_RUNS = 3_000;
/**
 * Of how many cells a daily run has one, along diagonals: each fault comes at every second step, each step has every second
 * fault. Clearing takes the way of a transfer, as the cells of that show.
 */
const ONE_OF = { transfer: 2, clear: 5 } as const;

const GENERATIONS: readonly GattVersion[] = ["2.1", "2.0"];

/** Runs of `operation`, cell after cell, and from the first again until there are enough. */
function jobs(operation: Operation): readonly Job[] {
  const cells = GENERATIONS.flatMap((generation) =>
    FAULTS.flatMap((row, down) =>
      stepsOf(generation).map((step, along) => ({
        generation,
        operation,
        row,
        step,
        diagonal: down + along,
      })),
    ),
  );
  const all = Array.from({ length: dailyOrFull(cells.length, MATRIX_RUNS) }, (_, index) => ({
    ...(cells[index % cells.length] as (typeof cells)[number]),
    seed: index + 1,
  }));
  return FULL ? all : all.filter(({ diagonal }) => diagonal % ONE_OF[operation] === 0);
}

/** Outcomes that a row may have, as {@link JobOutcome} names them. */
function allowed({ mended, offline }: FaultRow): RegExp {
  if (!mended) return /^(committed|failed \w+)$/;
  return offline ? /^pending$/ : /^committed$/;
}

describe.each(["transfer", "clear"] as const)("every step × every fault: a %s", (operation) => {
  const all = jobs(operation);
  describe.each(GENERATIONS)("to a v%s tag", (generation) => {
    test.each(FAULTS.map((row) => [row.name, row] as const))(
      "is whole and known, or nothing, at whichever step: %s",
      { timeout: 1_800_000 },
      async (_name, row) => {
        for (const job of all) {
          if (job.generation !== generation || job.row !== row) continue;
          const { outcome, struck, picked } = await runJob(job);
          const where = `step ${job.step}, seed ${job.seed}`;
          expect(outcome, where).toMatch(allowed(row));
          // A strike that never came would prove nothing; only a radio that is bad all along may end a job before.
          const strikes = row.fate !== undefined || row.tag !== undefined;
          expect(struck || !picked || !strikes, where).toBe(true);
        }
      },
    );
  });
});

/** Seeded jobs. */
const HALLS = dailyOrFull(20, 600);

/** Everything at once, all the time. */
const HALL: RadioQuality = { ...BAD_RADIO, reboot: 0.001, staleHandle: 0.003, latency: 2 };
const BAD_HALL: FaultRow = { name: "a baggage hall", quality: HALL };

test(`in a baggage hall a job is whole and known, or nothing, ${HALLS} times`, {
  timeout: 1_800_000,
}, async () => {
  let committed = 0;
  for (let seed = 1; seed <= HALLS; seed++) {
    const generation = seed % 3 === 0 ? "2.0" : "2.1";
    const operation = seed % 4 === 0 ? "clear" : "transfer";
    const { outcome } = await runJob({ generation, operation, row: BAD_HALL, step: "INFO", seed });
    expect(outcome, `seed ${seed}`).toMatch(/^(committed|failed \w+)$/);
    if (outcome === "committed") committed++;
  }
  expect(committed / HALLS).toBeGreaterThan(0.6);
});

/** Seeded first connections. */
const CONNECTS = dailyOrFull(300, 6_000);
const FAILING = { ...GOOD_RADIO, connectFailure: 0.3 };

test(`a first connect succeeds at least 99 times of 100 where 30 % of attempts fail, over ${CONNECTS} seeds`, {
  timeout: 600_000,
}, async () => {
  const failed: number[] = [];
  for (let seed = 1; seed <= CONNECTS; seed++) {
    const scene = await radioScene({ generation: "2.1", seed, radio: seededRadio(seed, FAILING) });
    const began = scene.time.world.now();
    const result = await scene.job(() => scene.client.pickTag());
    const took = scene.time.world.now() - began;
    if (!result.ok) {
      failed.push(seed);
      expect(result.error.code, `seed ${seed}`).toBe("out_of_reach");
    }
    expect(scene.choosers(), `seed ${seed}`).toBe(1);
    expect(took, `seed ${seed}`).toBeLessThan(13_000);
  }
  expect(failed.length / CONNECTS, `seeds that failed: ${failed.join(" ")}`).toBeLessThanOrEqual(0.01);
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
  test.each([5, 31, 121, 301, 900])("%i s ends with the label, asked once, chosen once", async (seconds) => {
    const { commits, asked, links, misses, scene } = await transferAfter(seconds, generation);
    expect({ commits, asked, misses, choosers: scene.choosers() }).toEqual({
      commits: 1,
      asked: 1,
      misses: 0,
      choosers: 1,
    });
    expect(links).toBeLessThanOrEqual(2);
  });
});
