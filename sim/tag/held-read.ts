import type { Bytes } from "../../core/encoding/bytes.ts";
import { TAG_TIMER } from "../../core/gatt/profile.ts";
import { AttError, type TagWorld } from "./tag-types.ts";

interface Waiting {
  readonly produce: () => Bytes | undefined;
  readonly resolve: (value: Bytes) => void;
  readonly reject: (error: AttError) => void;
  readonly cancel: () => void;
}

/**
 * The one read that may be waiting for its answer (protocol.md, Pull model): held until there is one, at most 5 s;
 * then the value is empty, which means "read again".
 */
export class HeldRead {
  readonly #world: TagWorld;
  #waiting: Waiting | undefined;

  constructor(world: TagWorld) {
    this.#world = world;
  }

  /** Resolves with what `produce` gives as soon as it gives something. */
  hold(produce: () => Bytes | undefined): Promise<Bytes> {
    const now = produce();
    if (now !== undefined) return Promise.resolve(now);
    return new Promise((resolve, reject) => {
      const cancel = this.#world.after(TAG_TIMER.deferredRead, () =>
        this.#settle()?.resolve(new Uint8Array()),
      );
      this.#waiting = { produce, resolve, reject, cancel };
    });
  }

  /** Something changed: perhaps the answer is there. */
  poke(): void {
    const value = this.#waiting?.produce();
    if (value !== undefined) this.#settle()?.resolve(value);
  }

  /** The link fell. */
  abort(): void {
    this.#settle()?.reject(new AttError("DISCONNECTED"));
  }

  #settle(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.cancel();
    return waiting;
  }
}
