import { expect, test } from "vitest";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { BAD_RADIO, type RadioQuality } from "../../sim/radio/radio-model.ts";
import type { FaultRow } from "../test-support/radio-faults.ts";
import { runJob } from "../test-support/radio-job.ts";

/** Seeded jobs. */
const RUNS = dailyOrFull(20, 600);

/** Everything at once, all the time. */
const HALL: RadioQuality = { ...BAD_RADIO, reboot: 0.001, staleHandle: 0.003, latency: 2 };
const row: FaultRow = { name: "a baggage hall", quality: HALL };

test(`in a baggage hall a job is whole and known, or nothing, ${RUNS} times`, {
  timeout: 1_800_000,
}, async () => {
  let committed = 0;
  for (let seed = 1; seed <= RUNS; seed++) {
    const generation = seed % 3 === 0 ? "2.0" : "2.1";
    const operation = seed % 4 === 0 ? "clear" : "transfer";
    const { outcome } = await runJob({ generation, operation, row, step: "INFO", seed });
    expect(outcome, `seed ${seed}`).toMatch(/^(committed|failed \w+)$/);
    if (outcome === "committed") committed++;
  }
  expect(committed / RUNS).toBeGreaterThan(0.6);
});
