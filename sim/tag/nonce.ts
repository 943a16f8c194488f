import type { Bytes } from "../../core/encoding/bytes.ts";
import { TAG_TIMER } from "../../core/gatt/profile.ts";
import type { TagWorld } from "./tag-types.ts";

/** The one nonce of a connection. Every token burns it, hit or miss; after 120 s it is withdrawn. */
export class Nonce {
  readonly #world: TagWorld;
  #current: { readonly value: Bytes; readonly drawnAt: number } | undefined;

  constructor(world: TagWorld) {
    this.#world = world;
  }

  /** A new one in place of whatever was there. */
  draw(): Bytes {
    const value = this.#world.random(16);
    this.#current = { value, drawnAt: this.#world.now() };
    return value;
  }

  /** The one that still counts, else a new one: what a read of NONCE gives (protocol.md, GATT profile). */
  current(): Bytes {
    const current = this.#current;
    if (current === undefined || this.#world.now() - current.drawnAt > TAG_TIMER.nonce) return this.draw();
    return current.value;
  }

  /** Takes it out for a check: its value and age in milliseconds. */
  burn(): { readonly value: Bytes; readonly age: number } | undefined {
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return undefined;
    return { value: current.value, age: this.#world.now() - current.drawnAt };
  }
}
