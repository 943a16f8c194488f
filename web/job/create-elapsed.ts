import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from "solid-js";
import type { TagJob } from "./create-tag-job.ts";
import { activePhase } from "./job-progress.ts";
import { jobAt } from "./tag-job.ts";

const TICK_MS = 200;

/** A confirmation by the service usually takes less: nothing is shown or spoken of it before. */
export const CONFIRMING_AFTER_MS = 2_000;

/** Milliseconds since the job's phase began; 0 while none runs. */
export function createPhaseElapsed(job: TagJob): Accessor<number> {
  const [elapsed, setElapsed] = createSignal(0);
  const phase = createMemo(() => {
    const running = jobAt(job.now(), "connecting", "working", "cancelling");
    return running && activePhase(running.progress)?.phase;
  });
  createEffect(
    on(phase, (active) => {
      setElapsed(0);
      if (active === undefined) return;
      const timer = setInterval(() => setElapsed((ms) => ms + TICK_MS), TICK_MS);
      onCleanup(() => clearInterval(timer));
    }),
  );
  return elapsed;
}
