/**
 * The parts of a tag's firmware, each with the tag's clock: nonce, counters, e-paper, timers, the held read.
 */
import type { LabelPayload, TicketPayload } from "../../core/bag/payload.ts";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { type DisplayState, TAG_LIMIT, TAG_TIMER, type TagState } from "../../core/gatt/profile.ts";
import type { LockoutMemory } from "./memory.ts";
import { AttError, type TagWorld } from "./tag-types.ts";

/** The one nonce of a connection. Every token burns it, accepted or not; after 120 s it is withdrawn. */
export class Nonce {
  readonly #world: TagWorld;
  #current: { readonly value: Bytes; readonly drawnAt: number } | undefined;

  constructor(world: TagWorld) {
    this.#world = world;
  }

  /** Draws a new one in place of the old. */
  draw(): Bytes {
    const value = this.#world.random(16);
    this.#current = { value, drawnAt: this.#world.now() };
    return value;
  }

  /**
   * The nonce that is still valid, else a new one: what a read of NONCE gives (protocol.md, GATT profile).
   */
  current(): Bytes {
    const current = this.#current;
    if (current === undefined || this.#world.now() - current.drawnAt > TAG_TIMER.nonce) return this.draw();
    return current.value;
  }

  /** Takes the nonce out for a check: its value, and its age in milliseconds. */
  burn(): { readonly value: Bytes; readonly age: number } | undefined {
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return undefined;
    return { value: current.value, age: this.#world.now() - current.drawnAt };
  }
}

/**
 * Counts refused tokens over all connections: reconnecting after two gives no two more. Three lock the tag
 * for 30 s, and each lockout lasts twice as long as the one before, up to 300 s; a commit resets all of it.
 */
export class Lockout {
  readonly #world: TagWorld;
  #misses: number;
  #next: number;
  #running = 0;
  #until = 0;
  /** Whether the power went during a lockout: it begins again. */
  readonly interrupted: boolean;

  constructor(world: TagWorld, kept?: LockoutMemory) {
    this.#world = world;
    this.#misses = kept?.misses ?? 0;
    this.interrupted = (kept?.running ?? 0) > 0;
    this.#next = kept === undefined ? TAG_TIMER.lockoutFirst : kept.running || kept.next;
  }

  get memory(): LockoutMemory {
    return { misses: this.#misses, next: this.#next, running: this.#running };
  }

  get misses(): number {
    return this.#misses;
  }

  /** Milliseconds until the lockout ends, 0 where there is none. */
  get left(): number {
    return Math.max(0, this.#until - this.#world.now());
  }

  /** Counts one more refused token; true if it was one too many. */
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
    this.#running = length;
    this.#world.after(length, () => {
      this.#running = 0;
      over();
    });
  }

  /** A commit succeeded. */
  reset(): void {
    this.#misses = 0;
    this.#next = TAG_TIMER.lockoutFirst;
  }
}

/**
 * Lets through 8 message_1 at once and 6 a minute: each costs the tag a signature (protocol.md, Denial of
 * service).
 */
export class Message1Bucket {
  readonly #world: TagWorld;
  #level: number = TAG_LIMIT.message1Bucket;
  #at: number;

  constructor(world: TagWorld) {
    this.#world = world;
    this.#at = world.now();
  }

  /** The count does not outlive the power. */
  fill(): void {
    this.#level = TAG_LIMIT.message1Bucket;
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

/**
 * The e-paper: it changes whole or not at all. While a refresh runs, readers still see the old content; a
 * power loss in between leaves that content.
 */
export class Display {
  readonly #world: TagWorld;
  #content: LabelPayload | null;
  #cancel: (() => void) | undefined;

  constructor(world: TagWorld, content: LabelPayload | null) {
    this.#world = world;
    this.#content = content;
  }

  get state(): DisplayState {
    if (this.#cancel !== undefined) return "REFRESHING";
    return this.#content === null ? "BLANK" : "LABEL";
  }

  get content(): LabelPayload | null {
    return this.#content;
  }

  /** Begins to show `payload`; calls `done` once it is shown, after `milliseconds`. */
  refresh(payload: TicketPayload, milliseconds: number, done: () => void): void {
    if (this.#cancel !== undefined) throw new Error("the display is already refreshing");
    this.#cancel = this.#world.after(milliseconds, () => {
      this.#cancel = undefined;
      this.#content = payload.kind === "clear" ? null : payload;
      done();
    });
  }

  /** The power went: a refresh under way never happened. */
  interrupt(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/**
 * Timers of a session (protocol.md, States of the tag). The nonce has no timer: its age is checked when a
 * token comes.
 */
export type TimerName = "idle" | "message3" | "handshake" | "frameGap" | "authorized" | "session";

/**
 * Which timers run in which state. Entering a state starts the listed timers that are not running and stops
 * those not listed, so `handshake` counts from connect and `session` from the end of the handshake.
 * `frameGap` follows the frames.
 */
const RUNNING: Readonly<Record<TagState, readonly TimerName[]>> = {
  IDLE: [],
  CONNECTED: ["idle", "handshake"],
  WAIT_M3: ["idle", "handshake", "message3"],
  PRESENTED: ["idle", "session"],
  ESTABLISHED: ["session"],
  AUTHORIZED: ["idle", "authorized", "session"],
  RECEIVING: ["idle", "authorized", "session"],
  // Keeps running, but its end waits for the display.
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

interface Waiting {
  readonly produce: (late: boolean) => Bytes | undefined;
  readonly resolve: (value: Bytes) => void;
  readonly reject: (error: AttError) => void;
  readonly cancel: () => void;
}

/**
 * The one read that may be waiting for its answer (protocol.md, Pull model). It is held until there is an
 * answer, at most 5 s; then the value is empty, which means "read again".
 */
export class HeldRead {
  readonly #world: TagWorld;
  #waiting: Waiting | undefined;

  constructor(world: TagWorld) {
    this.#world = world;
  }

  /** Resolves with the result of `produce` as soon as there is one; after 5 s it is asked for what there is. */
  hold(produce: (late: boolean) => Bytes | undefined): Promise<Bytes> {
    const now = produce(false);
    if (now !== undefined) return Promise.resolve(now);
    return new Promise((resolve, reject) => {
      const cancel = this.#world.after(TAG_TIMER.deferredRead, () =>
        this.#settle()?.resolve(produce(true) ?? new Uint8Array()),
      );
      this.#waiting = { produce, resolve, reject, cancel };
    });
  }

  /** Something changed: the answer may be there. */
  poke(): void {
    const value = this.#waiting?.produce(false);
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
