import { expect, test } from "vitest";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { GOOD_RADIO, seededRadio } from "../../sim/radio/radio-model.ts";
import { radioScene } from "../test-support/radio-scene.ts";

/** Seeded first connections. */
const RUNS = dailyOrFull(300, 6_000);
const FAILING = { ...GOOD_RADIO, connectFailure: 0.3 };

test(`a first connect succeeds at least 99 times of 100 where 30 % of attempts fail, over ${RUNS} seeds`, {
  timeout: 600_000,
}, async () => {
  const failed: number[] = [];
  for (let seed = 1; seed <= RUNS; seed++) {
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
  expect(failed.length / RUNS, `seeds that failed: ${failed.join(" ")}`).toBeLessThanOrEqual(0.01);
});
