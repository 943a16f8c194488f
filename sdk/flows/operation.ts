/**
 * The frame in which every operation runs: one at a time per tag, cancellable until the tag has its commit,
 * every failure as a typed result, one stream of progress, and timings derived from that stream for
 * diagnostics.
 */

import { cancelled, throwIfCancelled, withResolvers } from "../abort.ts";
import type { RunRecord } from "../api.ts";
import { asTaglatchError, OperationError, ServiceError, type TaglatchError } from "../errors.ts";
import { type Listener, Listeners, notify } from "../listeners.ts";
import {
  type OperationOptions,
  PHASES,
  type Phase,
  type ProgressEvent,
  type Result,
  type RetryReason,
  type TagDevice,
} from "../types.ts";

interface Timing {
  readonly phase: Phase;
  readonly at: number;
  readonly duration: number;
}

/** Forward, or from a refused token back to the proof that it needs. */
const follows = (phase: Phase, next: Phase) =>
  PHASES.indexOf(next) > PHASES.indexOf(phase) || (phase === "authorize" && next === "proof");

/**
 * Entering a phase ends the one before it. Entering one that does not follow (a reconnect in between) changes nothing
 * but is reported as `retrying`.
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
    if (this.#current !== undefined && !follows(this.#current.phase, phase)) return;
    this.leave();
    const at = this.elapsed;
    this.#current = { phase, at };
    notify(this.#listener, { type: "started", phase, at });
  }

  /** Ends the current phase. */
  leave(): void {
    if (this.#current === undefined) return;
    const { phase, at } = this.#current;
    this.#current = undefined;
    const now = this.elapsed;
    this.timings.push({ phase, at, duration: now - at });
    notify(this.#listener, { type: "done", phase, at: now, duration: now - at });
  }

  retrying(reason: RetryReason): void {
    this.retries.push(reason);
    const phase = this.#current?.phase ?? "connect";
    notify(this.#listener, { type: "retrying", phase, at: this.elapsed, reason });
  }

  /** 0…1 of what the phase has to do. */
  moved(phase: "write" | "display", fraction: number): void {
    notify(this.#listener, { type: "progress", phase, at: this.elapsed, fraction });
  }

  tag(device: TagDevice): void {
    this.device = device;
    notify(this.#listener, { type: "tag", at: this.elapsed, device });
  }
}

const RUNS_KEPT = 20;

/** What a running operation knows of itself. */
export class Operation<Value> {
  readonly progress: Progress;
  /** Fires when the caller cancels, but never after {@link commit}. */
  readonly signal: AbortSignal;
  readonly #work = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #early = withResolvers<Result<Value>>();
  readonly #onCancel = () => this.#cancel();
  #committing = false;
  #confirmed: Value | undefined;

  constructor({ signal, onProgress }: OperationOptions) {
    this.progress = new Progress(onProgress);
    this.signal = this.#work.signal;
    this.#caller = signal;
    signal?.addEventListener("abort", this.#onCancel);
    if (signal?.aborted) this.#cancel();
  }

  /** Resolves if the caller gets an answer before the work has ended. */
  get early(): Promise<Result<Value>> {
    return this.#early.promise;
  }

  /**
   * The point of no return: what is sent next makes the tag change its display. Throws `cancelled` if the
   * caller has cancelled already.
   */
  commit(): void {
    // Also applies to a second commit after the first was lost: a caller who cancelled in between does not
    // want it.
    if (this.#caller?.aborted) throw cancelled(this.#caller.reason);
    this.#committing = true;
  }

  /** The tag has changed: a caller who cancels from here on gets `value`. */
  confirm(value: Value): void {
    this.#confirmed = value;
  }

  end(): void {
    this.#caller?.removeEventListener("abort", this.#onCancel);
    this.progress.leave();
  }

  #cancel(): void {
    const cause = this.#caller?.reason;
    const error = new OperationError("cancelled", "cancelled", { cause, settling: this.#committing });
    if (!this.#committing) this.#work.abort(cause);
    this.#early.resolve(
      this.#confirmed === undefined ? { ok: false, error } : { ok: true, value: this.#confirmed },
    );
  }
}

export class Operations {
  readonly #busy = new Set<string>();
  readonly #runs: RunRecord[] = [];
  readonly ended = new Listeners<RunRecord>();

  runs(): readonly RunRecord[] {
    return [...this.#runs];
  }

  isBusy(deviceId: string): boolean {
    return this.#busy.has(deviceId);
  }

  /**
   * Runs `work` on `deviceId` (if undefined, nothing is locked). `work` is entered before anything is
   * awaited, because a chooser needs the tap's own task. A caller who cancels gets an answer at once; the
   * work cleans up by itself.
   */
  async start<Value>(
    operation: RunRecord["operation"],
    deviceId: string | undefined,
    options: OperationOptions,
    work: (run: Operation<Value>) => Promise<Value>,
  ): Promise<Result<Value>> {
    if (deviceId !== undefined && this.isBusy(deviceId))
      return { ok: false, error: new OperationError("busy", "an operation runs on this tag") };
    if (deviceId !== undefined) this.#busy.add(deviceId);
    const startedAt = Date.now();
    const run = new Operation<Value>(options);
    const done = settled(run, work).then((result) => {
      if (deviceId !== undefined) this.#busy.delete(deviceId);
      run.end();
      this.#keep(operation, startedAt, run, result);
      return result;
    });
    return Promise.race([run.early, done]);
  }

  #keep<Value>(
    operation: RunRecord["operation"],
    startedAt: number,
    { progress }: Operation<Value>,
    result: Result<Value>,
  ): void {
    const { requestId } = result.ok ? {} : requestOf(result.error);
    const record: RunRecord = {
      operation,
      startedAt,
      elapsed: progress.elapsed,
      outcome: outcomeOf(result),
      phases: progress.timings,
      retries: progress.retries,
      ...(progress.device && describe(progress.device)),
      ...(requestId !== undefined && { requestId }),
    };
    this.#runs.push(record);
    this.#runs.splice(0, this.#runs.length - RUNS_KEPT);
    this.ended.notify(record);
  }
}

/** One shorter call without phases; its failure becomes a result. */
export async function asResult<Value>(
  options: OperationOptions | undefined,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Result<Value>> {
  const run = new Operation<Value>(options ?? {});
  const result = await Promise.race([run.early, settled(run, () => work(run.signal))]);
  run.end();
  return result;
}

async function settled<Value>(
  run: Operation<Value>,
  work: (run: Operation<Value>) => Promise<Value>,
): Promise<Result<Value>> {
  try {
    throwIfCancelled(run.signal);
    return { ok: true, value: await work(run) };
  } catch (error) {
    return { ok: false, error: asTaglatchError(error) };
  }
}

const describe = ({ generation, model, firmwareVersion: firmware }: TagDevice) => ({
  generation,
  ...(model !== undefined && { model }),
  ...(firmware !== undefined && { firmware }),
});

function outcomeOf(result: Result<unknown>): string {
  if (!result.ok) return result.error.code;
  const value = result.value as { readonly pendingRetry?: boolean } | undefined;
  return value?.pendingRetry === true ? "pending_retry" : "ok";
}

function requestOf(error: TaglatchError): { requestId?: string | undefined } {
  return error instanceof ServiceError ? { requestId: error.requestId } : {};
}
