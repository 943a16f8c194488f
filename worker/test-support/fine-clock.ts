/**
 * Measures microseconds with a clock of milliseconds, the only one in workerd. It reads the clock in a loop until the next
 * tick. The number of readings shows how long before the tick it was called.
 */
export interface FineClock {
  /** Waits for the next tick; milliseconds. */
  tick(): number;
  /** When it was asked, milliseconds with a fraction; returns at a tick. */
  now(): number;
}

/** How often the clock was read until it ticked, and what it then said. */
function untilTick(): { readonly reads: number; readonly tick: number } {
  const before = performance.now();
  for (let reads = 1; ; reads++) {
    const tick = performance.now();
    if (tick !== before) return { reads, tick };
  }
}

/** A clock for this machine as it is now; throws where there is nothing to refine. */
export function fineClock(rounds = 200): FineClock {
  untilTick();
  const counts = Array.from({ length: rounds }, () => untilTick().reads).sort((a, b) => a - b);
  const reads = counts[Math.floor(rounds * 0.75)] ?? 0;
  if (reads < 50) throw new RangeError("the clock ticks as often as it is read, or not at all");
  return {
    tick: () => untilTick().tick,
    now: () => {
      const { reads: waited, tick } = untilTick();
      return tick - Math.min(1, waited / reads);
    },
  };
}
