/** Waiting that can be cancelled. Every await of the SDK that may last passes through here. */
import { OperationError } from "./errors.ts";

/** The one error of cancellation: a closed chooser and a fired signal look alike. */
export function cancelled(cause?: unknown): OperationError {
  return new OperationError("cancelled", "cancelled", cause === undefined ? undefined : { cause });
}

/** Throws `cancelled` when `signal` has fired. */
export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw cancelled(signal.reason);
}

/** `Promise.withResolvers`, which Chrome 118 and Node 20 lack. */
export function withResolvers<T>() {
  let resolve!: (value: T | PromiseLike<T>) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((...both) => {
    [resolve, reject] = both;
  });
  return { promise, resolve, reject };
}

/**
 * Resolves as `work` does, or rejects with `cancelled` as soon as `signal` fires. The work itself goes on
 * unless it watches the signal too; its later failure is not reported.
 */
export async function orCancelled<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  throwIfCancelled(signal);
  const { promise, reject } = withResolvers<never>();
  const onAbort = () => reject(cancelled(signal.reason));
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Resolves after `milliseconds`, or rejects with `cancelled`. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  try {
    await orCancelled(signal, promise);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Resolves as `work` does, or rejects with the error that `late` makes after `milliseconds`, or with
 * `cancelled`.
 */
export async function within<T>(
  milliseconds: number,
  signal: AbortSignal,
  work: Promise<T>,
  late: () => Error,
): Promise<T> {
  const { promise, reject } = withResolvers<never>();
  const timer = setTimeout(() => reject(late()), milliseconds);
  try {
    return await orCancelled(signal, Promise.race([work, promise]));
  } finally {
    clearTimeout(timer);
  }
}

/** A signal that never fires, for callers that gave none. */
export function neverCancelled(): AbortSignal {
  return new AbortController().signal;
}

/**
 * One load for all callers, tried again after a failure. A caller who cancels does not end it for the others; when
 * all have, it is cancelled, and the next caller begins another.
 */
export function shared<T>(load: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  let current: { readonly loading: Promise<T>; readonly life: AbortController; callers: number } | undefined;
  const begin = () => {
    const life = new AbortController();
    const begun = { loading: load(life.signal), life, callers: 0 };
    begun.loading.catch(() => {
      if (current === begun) current = undefined;
    });
    return begun;
  };
  return async (signal) => {
    throwIfCancelled(signal);
    current ??= begin();
    const own = current;
    own.callers++;
    try {
      return await orCancelled(signal, own.loading);
    } catch (error) {
      if (own.callers === 1 && signal.aborted) {
        if (current === own) current = undefined;
        own.life.abort();
      }
      throw error;
    } finally {
      own.callers--;
    }
  };
}
