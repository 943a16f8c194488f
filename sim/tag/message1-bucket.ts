import { TAG_LIMIT } from "../../core/gatt/profile.ts";
import type { TagWorld } from "./tag-types.ts";

/** Lets through 8 message_1 at once and 6 a minute: each costs the tag a signature (protocol.md, Denial of service). */
export class Message1Bucket {
  readonly #world: TagWorld;
  #level: number = TAG_LIMIT.message1Bucket;
  #at: number;

  constructor(world: TagWorld) {
    this.#world = world;
    this.#at = world.now();
  }

  /** Takes one; false where the bucket is empty. */
  take(): boolean {
    const now = this.#world.now();
    const refill = ((now - this.#at) * TAG_LIMIT.message1PerMinute) / 60_000;
    this.#level = Math.min(TAG_LIMIT.message1Bucket, this.#level + refill);
    this.#at = now;
    if (this.#level < 1) return false;
    this.#level -= 1;
    return true;
  }
}
