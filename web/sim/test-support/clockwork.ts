/**
 * Lets a whole scenario run in virtual time: the clock jumps to the next alarm whenever everybody waits for nothing
 * but time. While a party computes (which takes real time) the clock stands.
 */
import type { VirtualTag } from "../tag-types.ts";
import type { VirtualWorld } from "../virtual-world.ts";

/** One turn of the event loop, without the millisecond that a timer takes. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

export class Clockwork {
  readonly world: VirtualWorld;
  readonly #tag: VirtualTag;
  #waiting = 0;

  constructor(world: VirtualWorld, tag: VirtualTag) {
    this.world = world;
    this.#tag = tag;
  }

  /** The tag, for the scenario: its operations are what time passes for. */
  get tag(): VirtualTag {
    const tag = this.#tag;
    return Object.assign(Object.create(tag) as VirtualTag, {
      connect: () => this.#wait(tag.connect()),
      disconnect: () => tag.disconnect(),
      read: (uuid: string) => this.#wait(tag.read(uuid)),
      write: (uuid: string, value: Uint8Array<ArrayBuffer>) => this.#wait(tag.write(uuid, value)),
      snapshot: () => tag.snapshot(),
      settled: () => tag.settled(),
      reboot: () => tag.reboot(),
    });
  }

  sleep(milliseconds: number): Promise<void> {
    return this.#wait(new Promise((resolve) => void this.world.after(milliseconds, resolve)));
  }

  async run<Outcome>(scenario: Promise<Outcome>): Promise<Outcome> {
    let open = true;
    const done = scenario.finally(() => {
      open = false;
    });
    done.catch(() => undefined);
    while (open) {
      await turn();
      if (this.#waiting === 0) continue;
      await this.#tag.settled();
      await turn();
      const next = this.world.untilNext;
      if (this.#waiting > 0 && next !== undefined) this.world.advance(next);
    }
    return done;
  }

  async #wait<Value>(operation: Promise<Value>): Promise<Value> {
    this.#waiting++;
    try {
      return await operation;
    } finally {
      this.#waiting--;
    }
  }
}
