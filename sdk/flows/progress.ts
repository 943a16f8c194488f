/** The one stream of progress events of an operation, and the timings made of it. */
import { type Listener, tell } from "../listeners.ts";
import { PHASES, type Phase, type ProgressEvent, type RetryReason, type TagDevice } from "../types.ts";

interface Timing {
  readonly phase: Phase;
  readonly at: number;
  readonly duration: number;
}

/**
 * Phases go forward only: entering one ends the one before it, and entering an earlier one again (a reconnect in
 * the middle of things) changes nothing but is told as `retrying`.
 */
export class Progress {
  readonly timings: Timing[] = [];
  readonly retries: RetryReason[] = [];
  device: TagDevice | undefined;
  readonly #began = performance.now();
  readonly #listener: Listener<ProgressEvent> | undefined;
  #current: { readonly phase: Phase; readonly at: number } | undefined;

  constructor(listener: Listener<ProgressEvent> | undefined) {
    this.#listener = listener;
  }

  /** Milliseconds since the operation began. */
  get elapsed(): number {
    return performance.now() - this.#began;
  }

  enter(phase: Phase): void {
    if (this.#current !== undefined && PHASES.indexOf(phase) <= PHASES.indexOf(this.#current.phase)) return;
    this.leave();
    const at = this.elapsed;
    this.#current = { phase, at };
    tell(this.#listener, { type: "started", phase, at });
  }

  /** Ends the current phase. */
  leave(): void {
    if (this.#current === undefined) return;
    const { phase, at } = this.#current;
    this.#current = undefined;
    const now = this.elapsed;
    this.timings.push({ phase, at, duration: now - at });
    tell(this.#listener, { type: "done", phase, at: now, duration: now - at });
  }

  retrying(reason: RetryReason): void {
    this.retries.push(reason);
    const phase = this.#current?.phase ?? "connect";
    tell(this.#listener, { type: "retrying", phase, at: this.elapsed, reason });
  }

  written(fraction: number): void {
    tell(this.#listener, { type: "progress", phase: "write", at: this.elapsed, fraction });
  }

  tag(device: TagDevice): void {
    this.device = device;
    tell(this.#listener, { type: "tag", at: this.elapsed, device });
  }
}
