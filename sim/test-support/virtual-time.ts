import { TAG_LIMIT } from "../../core/gatt/profile.ts";
import { realTimeWorld } from "../real-time-world.ts";
import type { TagWorld, VirtualTag } from "../tag/tag-types.ts";
import { VirtualWorld } from "../virtual-world.ts";
import { calm } from "./activity.ts";

/**
 * For tests that connect to a tag more often than its message_1 allowance permits, and cannot wait for
 * minutes.
 */

/** The real world, except that time can be made to pass at once. */
export interface LeapingWorld extends TagWorld {
  leap(milliseconds: number): void;
}

export function leapingWorld(): LeapingWorld {
  const world = realTimeWorld();
  let leapt = 0;
  return {
    ...world,
    now: () => world.now() + leapt,
    leap(milliseconds) {
      leapt += milliseconds;
    },
  };
}

/**
 * `tag`, with a clock that leaps ahead as far as needed when its message_1 allowance is spent, and is right at all other
 * times.
 */
export function restedWhenSpent<Tag extends VirtualTag>(tag: Tag, world: LeapingWorld): Tag {
  const rest = (TAG_LIMIT.message1Bucket / TAG_LIMIT.message1PerMinute) * 60_000;
  tag.observe((event) => {
    if (event.type === "refusal" && event.reason === "BUSY: message_1 bucket") world.leap(rest);
  });
  return tag;
}

/** Runs a scenario in virtual time: the clock jumps to the next alarm whenever no computation runs. */

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

/**
 * Virtual time for code that knows only the platform's clock: while {@link VirtualTime.run} runs,
 * `setTimeout` and `performance.now` of a whole program follow one {@link VirtualWorld}, and `Math.random`
 * its seed.
 */

export class VirtualTime {
  readonly world: VirtualWorld;
  /** Over all runs: what one run leaves behind may be called off in the next, and nothing else by its number. */
  readonly #alarms = new Map<number, () => void>();
  #last = 0;

  constructor(seed: number) {
    this.world = new VirtualWorld(seed);
  }

  /** Resolves as `work` does, within `budget` milliseconds of virtual time: {@link drive}. */
  async run<Value>(budget: number, work: () => Promise<Value>): Promise<Value> {
    const restore = this.#install();
    try {
      return await drive(this.world, work, budget);
    } finally {
      restore();
    }
  }

  /** Lets `milliseconds` pass, and everything happen that is due in them. */
  async pass(milliseconds: number): Promise<void> {
    await this.run(milliseconds + 1, () => new Promise((resolve) => void setTimeout(resolve, milliseconds)));
  }

  #install(): () => void {
    const { world } = this;
    const alarms = this.#alarms;
    const setTimeoutOf = (action: (...values: unknown[]) => void, delay = 0, ...values: unknown[]) => {
      const id = ++this.#last;
      const cancel = world.after(delay, () => {
        alarms.delete(id);
        action(...values);
      });
      alarms.set(id, cancel);
      return id;
    };
    const clearTimeoutOf = (id: number) => {
      alarms.get(id)?.();
      alarms.delete(id);
    };
    return replaced([
      [globalThis, "setTimeout", setTimeoutOf],
      [globalThis, "clearTimeout", clearTimeoutOf],
      [performance, "now", () => world.now()],
      [Math, "random", () => world.chance()],
    ]);
  }
}

type Replacement = readonly [target: object, name: string, value: unknown];

/** Sets the replacement values; returns the function that restores the old ones. */
function replaced(replacements: readonly Replacement[]): () => void {
  const before = replacements.map(([target, name]) => Object.getOwnPropertyDescriptor(target, name));
  for (const [target, name, value] of replacements)
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  return () => {
    for (const [index, [target, name]] of replacements.entries()) {
      const descriptor = before[index];
      if (descriptor === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, descriptor);
    }
  };
}
