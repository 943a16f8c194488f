import { TAG_TIMER, type TagState } from "../../core/gatt/profile.ts";
import type { TagWorld } from "./tag-types.ts";

/** Timers of a session (protocol.md, States of the tag). What the nonce's age means is looked at when a token comes, it has no alarm. */
export type TimerName = "idle" | "message3" | "handshake" | "frameGap" | "authorized" | "session";

/**
 * Which timers run in which state. Entering a state starts what was not running and stops what is not listed, so
 * `handshake` counts from connect and `session` from the end of the handshake. `frameGap` follows the frames.
 */
const RUNNING: Readonly<Record<TagState, readonly TimerName[]>> = {
  IDLE: [],
  CONNECTED: ["idle", "handshake"],
  WAIT_M3: ["idle", "handshake", "message3"],
  PRESENTED: ["idle", "session"],
  ESTABLISHED: ["session"],
  AUTHORIZED: ["idle", "authorized", "session"],
  RECEIVING: ["idle", "authorized", "session"],
  // Runs on, but its end waits for the display.
  COMMITTING: ["session"],
  COMMITTED: ["session"],
  LOCKOUT: [],
};

/** The running timers of one tag. */
export class Timers {
  readonly #world: TagWorld;
  readonly #onEnd: (name: TimerName) => void;
  readonly #cancel = new Map<TimerName, () => void>();
  #state: TagState = "IDLE";

  constructor(world: TagWorld, onEnd: (name: TimerName) => void) {
    this.#world = world;
    this.#onEnd = onEnd;
  }

  /** The tag entered `state`. */
  enter(state: TagState): void {
    const changedIdle = idleLength(state) !== idleLength(this.#state);
    this.#state = state;
    for (const name of [...this.#cancel.keys()]) {
      const framesGoOn = name === "frameGap" && state !== "IDLE" && state !== "LOCKOUT";
      const stays = RUNNING[state].includes(name) || framesGoOn;
      if (!stays || (name === "idle" && changedIdle)) this.stop(name);
    }
    for (const name of RUNNING[state]) if (!this.#cancel.has(name)) this.start(name);
  }

  /** A GATT operation took place. */
  touch(): void {
    if (this.#cancel.has("idle")) this.start("idle");
  }

  /** Starts a timer, from the beginning if it was running. */
  start(name: TimerName): void {
    this.stop(name);
    const cancel = this.#world.after(this.#length(name), () => {
      this.#cancel.delete(name);
      this.#onEnd(name);
    });
    this.#cancel.set(name, cancel);
  }

  stop(name: TimerName): void {
    this.#cancel.get(name)?.();
    this.#cancel.delete(name);
  }

  #length(name: TimerName): number {
    return name === "idle" ? idleLength(this.#state) : TAG_TIMER[name];
  }
}

function idleLength(state: TagState): number {
  return state === "PRESENTED" ? TAG_TIMER.idlePresented : TAG_TIMER.idle;
}
