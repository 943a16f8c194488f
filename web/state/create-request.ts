import { type Accessor, createSignal } from "solid-js";
import type { Result } from "../../sdk/index.ts";
import { asTaglatchError, type TaglatchError } from "../../sdk/index.ts";

/**
 * `failed`: {@link Request.error} says why. `over`: the person asked for something else, left, or closed the
 * browser's list; nobody waits for the answer.
 */
export type Answered = "done" | "failed" | "over";

export interface Request {
  readonly working: Accessor<boolean>;
  /** Why the last request failed; removed as soon as another is sent. */
  readonly error: Accessor<TaglatchError | undefined>;
  /**
   * Sends a request in place of the one under way; `take` gets the answer, if there is one. Never rejects.
   */
  readonly send: <T>(
    call: (signal: AbortSignal) => Promise<Result<T>>,
    take?: (value: T) => void | Promise<void>,
  ) => Promise<Answered>;
  readonly forgetError: () => void;
  /** Nobody waits for the answer any more. */
  readonly end: () => void;
}

/** Something that the person asked for and waits for, one at a time. */
export function createRequest(): Request {
  const [working, setWorking] = createSignal(false);
  const [error, setError] = createSignal<TaglatchError>();
  let asking = new AbortController();
  const forgetError = () => void setError(undefined);

  const end = () => {
    asking.abort();
    // An aborted signal keeps its exception, and that keeps the stack on which it was made, buttons and all.
    asking = new AbortController();
    setWorking(false);
    forgetError();
  };

  const send: Request["send"] = async (call, take) => {
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
