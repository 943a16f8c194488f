import type { Bytes } from "../core/encoding/bytes.ts";
import { seeded } from "./seeded.ts";
import type { TagWorld } from "./tag/tag-types.ts";

interface Alarm {
  readonly at: number;
  readonly action: () => void;
}

/**
 * A world whose time moves only by `advance`, and whose chance comes from a seed: for tests, never for keys.
 * Alarms due at the same moment ring in the order they were set.
 */
export class VirtualWorld implements TagWorld {
  #now = 0;
  #alarms: Alarm[] = [];
  #random: () => number;

  constructor(seed = 1) {
    this.#random = seeded(seed);
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, action: () => void): () => void {
    const alarm: Alarm = { at: this.#now + milliseconds, action };
    // A stable sort: among equals, the order of setting stays.
    this.#alarms = [...this.#alarms, alarm].sort((a, b) => a.at - b.at);
    return () => {
      this.#alarms = this.#alarms.filter((other) => other !== alarm);
    };
  }

  random(length: number): Bytes {
    return Uint8Array.from({ length }, () => Math.floor(this.#random() * 256));
  }

  /** A number in [0, 1). */
  chance(): number {
    return this.#random();
  }

  /** Milliseconds until the next alarm, undefined where none is set. */
  get untilNext(): number | undefined {
    const next = this.#alarms[0];
    return next === undefined ? undefined : next.at - this.#now;
  }

  /** Moves time forward and rings every alarm on the way, including those set on the way. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (let next = this.#alarms[0]; next !== undefined && next.at <= end; next = this.#alarms[0]) {
      this.#alarms.shift();
      this.#now = next.at;
      next.action();
    }
    this.#now = end;
  }
}
