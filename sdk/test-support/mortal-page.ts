/**
 * A page that dies at one of its steps: the n-th operation on the radio or call to the service, before it takes effect or
 * after. What is stored stays; nothing else of it happens any more.
 */
import { withResolvers } from "../abort.ts";
import type { TagConnection, TagLink, TagRadio } from "../tag/link.ts";

export interface Death {
  /** Counted from 1 over operations and calls alike; 0 for a page that lives. */
  readonly at: number;
  readonly when: "before" | "after";
}

export class MortalPage {
  /** How many steps were taken. */
  steps = 0;
  readonly #death: Death;
  readonly #died = withResolvers<"died">();
  readonly #onDeath: () => void;
  #dead = false;

  constructor(death: Death, onDeath: () => void) {
    this.#death = death;
    this.#onDeath = onDeath;
  }

  /** Resolves when the page dies. */
  get died(): Promise<"died"> {
    return this.#died.promise;
  }

  fetch(real: typeof fetch): typeof fetch {
    return (...call) => this.#step(() => real(...call));
  }

  radio(real: TagRadio): TagRadio {
    const wrap = (link: TagLink): TagLink => ({
      deviceId: link.deviceId,
      name: link.name,
      connect: (signal, onRetry) =>
        this.#step(async () => this.#connection(await link.connect(signal, onRetry))),
    });
    return {
      choose: async (...given) => wrap(await real.choose(...given)),
      find: async (deviceId) => {
        const link = await real.find(deviceId);
        return link && wrap(link);
      },
      remembered: async () => (await real.remembered()).map(wrap),
    };
  }

  #connection(real: TagConnection): TagConnection {
    return {
      get open() {
        return real.open;
      },
      openedAt: real.openedAt,
      has: (uuid) => real.has(uuid),
      properties: (uuid) => real.properties(uuid),
      read: (...given) => this.#step(() => real.read(...given)),
      write: (...given) => this.#step(() => real.write(...given)),
      close: () => real.close(),
    };
  }

  async #step<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#dead) return never();
    this.steps++;
    const fatal = this.steps === this.#death.at;
    if (fatal && this.#death.when === "before") return this.#die();
    try {
      const value = await work();
      return fatal ? await this.#die() : value;
    } finally {
      // The page is gone, and with it what was under way.
      if (this.#dead) await never();
    }
  }

  #die(): Promise<never> {
    this.#dead = true;
    this.#onDeath();
    this.#died.resolve("died");
    return never();
  }
}

const never = () => new Promise<never>(() => undefined);
