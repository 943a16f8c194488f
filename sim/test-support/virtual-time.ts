/**
 * Virtual time for code that knows only the platform's clock: while {@link VirtualTime.run} runs,
 * `setTimeout` and `performance.now` of a whole program follow one {@link VirtualWorld}, and `Math.random`
 * its seed.
 */
import { VirtualWorld } from "../virtual-world.ts";
import { drive } from "./clockwork.ts";

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
