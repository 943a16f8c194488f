import { TAG_LIMIT, TAG_TIMER } from "../../core/gatt/profile.ts";
import type { TagWorld } from "./tag-types.ts";

/**
 * Counts refused tokens, over all connections: who reconnects after two gets no two more. Three lock the tag for 30 s,
 * and each time twice as long up to 300 s; a commit forgets it all.
 */
export class Lockout {
  readonly #world: TagWorld;
  #misses = 0;
  #next: number = TAG_TIMER.lockoutFirst;
  #until = 0;

  constructor(world: TagWorld) {
    this.#world = world;
  }

  get misses(): number {
    return this.#misses;
  }

  /** Milliseconds until the lockout ends, 0 where there is none. */
  get left(): number {
    return Math.max(0, this.#until - this.#world.now());
  }

  /** One more refused token; true where it was one too many. */
  miss(): boolean {
    this.#misses++;
    return this.#misses >= TAG_LIMIT.tokenMisses;
  }

  /** Locks, and runs `over` when it ends. */
  begin(over: () => void): void {
    const length = this.#next;
    this.#misses = 0;
    this.#next = Math.min(2 * length, TAG_TIMER.lockoutLongest);
    this.#until = this.#world.now() + length;
    this.#world.after(length, over);
  }

  /** A commit succeeded. */
  reset(): void {
    this.#misses = 0;
    this.#next = TAG_TIMER.lockoutFirst;
  }
}
