/** Runs a scenario in virtual time: the clock jumps to the next alarm whenever no computation runs. */
import type { VirtualWorld } from "../virtual-world.ts";
import { calm } from "./activity.ts";

/** A scenario that would never end, or not within its budget of virtual time. */
export class Hang extends Error {
  override readonly name = "Hang";
}

const driven = new WeakSet<VirtualWorld>();

/**
 * Resolves as `work` does. Throws {@link Hang} if that would take more than `budget` milliseconds of virtual
 * time, or if no timer is pending and `work` still does not end. Inside another `drive` of the same world,
 * only the outer one moves the clock.
 */
export async function drive<Value>(
  world: VirtualWorld,
  work: () => Promise<Value>,
  budget = Number.POSITIVE_INFINITY,
): Promise<Value> {
  if (driven.has(world)) return work();
  driven.add(world);
  try {
    return await advanced(world, work, world.now() + budget);
  } finally {
    driven.delete(world);
  }
}

async function advanced<Value>(
  world: VirtualWorld,
  work: () => Promise<Value>,
  deadline: number,
): Promise<Value> {
  let open = true;
  const done = work().finally(() => {
    open = false;
  });
  done.catch(() => undefined);
  for (;;) {
    await calm();
    if (!open) return done;
    const next = world.untilNext;
    if (next === undefined) throw new Hang("everybody waits for nothing");
    if (world.now() + next > deadline) throw new Hang(`not done at ${deadline} ms`);
    world.advance(next);
  }
}

/** Resolves after `milliseconds` of `world`. */
export function sleepIn(world: VirtualWorld, milliseconds: number): Promise<void> {
  return new Promise((resolve) => void world.after(milliseconds, resolve));
}
