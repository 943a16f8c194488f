import { createSignal } from "solid-js";
import {
  asTaglatchError,
  type Result,
  ServiceError,
  type Taglatch,
  type TaglatchError,
} from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";

/**
 * `failed`: the request's error says why. `over`: the person asked for something else, left, or closed the
 * browser's list; the answer is dropped.
 */
export type Answered = "done" | "failed" | "over";

export type Request = ReturnType<typeof createRequest>;

/** A request on behalf of the person, one at a time. */
export function createRequest() {
  const [working, setWorking] = createSignal(false);
  /** Why the last request failed; cleared when another is sent. */
  const [error, setError] = createSignal<TaglatchError>();
  let asking = new AbortController();
  const forgetError = () => void setError(undefined);

  /** Drops the answer. */
  const end = () => {
    asking.abort();
    // An aborted signal keeps its exception, and that keeps the stack on which it was made, buttons and all.
    asking = new AbortController();
    setWorking(false);
    forgetError();
  };

  /** Sends a request in place of the one under way; `take` gets the answer, if there is one. Never rejects. */
  const send = async <T>(
    call: (signal: AbortSignal) => Promise<Result<T>>,
    take?: (value: T) => void | Promise<void>,
  ): Promise<Answered> => {
    end();
    const { signal } = asking;
    setWorking(true);
    let failure: TaglatchError | undefined;
    try {
      const answer = await call(signal);
      if (!answer.ok) failure = answer.error;
      else if (!signal.aborted) await take?.(answer.value);
    } catch (thrown) {
      failure = asTaglatchError(thrown);
    }
    if (signal.aborted) return "over";
    setWorking(false);
    if (failure?.code === "cancelled") return "over";
    setError(failure);
    return failure ? "failed" : "done";
  };
  return { working, error, send, forgetError, end };
}

/**
 * The SDK's own file did not come. Chromium keeps a module that failed as failed, so only loading the document again helps;
 * another tap does not.
 */
export class NotLoadedError extends ServiceError {
  constructor(cause: unknown) {
    super("network", "the SDK could not be loaded", { cause });
  }
}

/** The SDK, made at the first call; callers get it when `onMade` is over. */
export function createLoad(
  create: () => Promise<Taglatch>,
  onMade: (client: Taglatch) => Promise<void>,
): () => Promise<Taglatch> {
  const { ready } = useI18n();
  let client: Promise<Taglatch> | undefined;
  const make = async () => {
    try {
      const made = await create();
      await onMade(made);
      return made;
    } catch (cause) {
      // Not remembered: the next tap tries again.
      client = undefined;
      throw new NotLoadedError(cause);
    }
  };
  return () => {
    // All uses of the SDK may fail, so the sentences for errors are loaded with it.
    ready("errors");
    client ??= make();
    return client;
  };
}
