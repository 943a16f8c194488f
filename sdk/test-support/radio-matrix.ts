/** The matrix of one operation: every step × every fault, each cell as often as there are runs for it. */

import { describe, expect, test } from "vitest";
import { dailyOrFull, FULL } from "../../core/full.test-support.ts";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { FAULTS, type FaultRow } from "./radio-faults.ts";
import { type Job, type Operation, runJob, stepsOf } from "./radio-job.ts";

/** Seeded jobs of each operation in a full run; in a daily one some cells come, once. */
const RUNS = 3_000;
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
  const all = Array.from({ length: dailyOrFull(cells.length, RUNS) }, (_, index) => ({
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

export function describeMatrix(operation: Operation): void {
  const all = jobs(operation);
  describe.each(GENERATIONS)(`a ${operation} to a v%s tag`, (generation) => {
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
}
