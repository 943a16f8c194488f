/**
 * Virtual time for code that knows only the platform's: `setTimeout` and `performance.now` of a whole program follow
 * one {@link VirtualWorld} while {@link VirtualTime.run} runs, and `Math.random` its seed. The clock jumps to the next
 * alarm whenever nobody computes: no WebCrypto operation and no `setImmediate` (fake IndexedDB) is under way.
 */
import { VirtualWorld } from "../virtual-world.ts";

/** Turns of the event loop without work after which everybody waits for time. */
const CALM = 3;

const turn = globalThis.setImmediate;

/** A scenario that would never end, or not within its budget of virtual time. */
export class Hang extends Error {
  override readonly name = "Hang";
}

/** How much of the platform is at work now. */
class Activity {
  #count = 0;
  #rest: (() => void) | undefined;

  begin(): void {
    this.#count++;
  }

  end(): void {
    if (--this.#count === 0) this.#rest?.();
  }

  /** Resolves when only time is left to be waited for. */
  async calm(): Promise<void> {
    for (let calm = 0; calm < CALM; ) {
      await new Promise((resolve) => void turn(resolve));
      if (this.#count === 0) {
        calm++;
        continue;
      }
      calm = 0;
      await new Promise<void>((resolve) => {
        this.#rest = resolve;
      });
    }
  }
}

export class VirtualTime {
  readonly world: VirtualWorld;
  readonly #activity = new Activity();

  constructor(seed: number) {
    this.world = new VirtualWorld(seed);
  }

  /**
   * What `work` resolves with. Throws {@link Hang} when that would take more than `budget` milliseconds of virtual
   * time, or when nobody waits for time and it still does not come.
   */
  async run<Outcome>(budget: number, work: () => Promise<Outcome>): Promise<Outcome> {
    const restore = this.#install();
    try {
      let open = true;
      const deadline = this.world.now() + budget;
      const done = work().finally(() => {
        open = false;
      });
      done.catch(() => undefined);
      for (;;) {
        await this.#activity.calm();
        if (!open) return await done;
        const next = this.world.untilNext;
        if (next === undefined) throw new Hang("everybody waits for nothing");
        if (this.world.now() + next > deadline) throw new Hang(`not done after ${budget} ms`);
        this.world.advance(next);
      }
    } finally {
      restore();
    }
  }

  /** Lets `milliseconds` pass, with everything that happens in them. */
  async pass(milliseconds: number): Promise<void> {
    await this.run(milliseconds + 1, () => new Promise((resolve) => void setTimeout(resolve, milliseconds)));
  }

  #install(): () => void {
    const { world } = this;
    const alarms = new Map<number, () => void>();
    let last = 0;
    const setTimeoutOf = (action: (...values: unknown[]) => void, delay = 0, ...values: unknown[]) => {
      const id = ++last;
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
      [globalThis, "setImmediate", this.#counted(turn)],
      [performance, "now", () => world.now()],
      [Math, "random", () => world.chance()],
      ...this.#countedCrypto(),
    ]);
  }

  #counted(immediate: typeof setImmediate) {
    return (action: (...values: unknown[]) => void, ...values: unknown[]) => {
      this.#activity.begin();
      return immediate(() => {
        try {
          action(...values);
        } finally {
          this.#activity.end();
        }
      });
    };
  }

  #countedCrypto(): Replacement[] {
    const { subtle } = crypto;
    type Operation = (...values: unknown[]) => Promise<unknown>;
    const names = Object.getOwnPropertyNames(Object.getPrototypeOf(subtle)).filter(
      (name) => name !== "constructor" && typeof Reflect.get(subtle, name) === "function",
    );
    return names.map((name) => {
      const operation = Reflect.get(subtle, name) as Operation;
      const counted: Operation = async (...values) => {
        this.#activity.begin();
        try {
          return await operation.apply(subtle, values);
        } finally {
          this.#activity.end();
        }
      };
      return [subtle, name, counted];
    });
  }
}

type Replacement = readonly [target: object, name: string, value: unknown];

/** Puts values in place; returns the function that puts back what was there. */
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
