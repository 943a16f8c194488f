import { type Accessor, createSignal } from "solid-js";
import type { Result } from "../../sdk/index.ts";
import { asTaglatchError, type TaglatchError } from "../../sdk/index.ts";

export interface Request {
  readonly working: Accessor<boolean>;
  /** Why the last one failed; gone as soon as another is sent. */
  readonly error: Accessor<TaglatchError | undefined>;
  /** Sends it; `take` hears the answer, unless there was none. Never rejects. */
  readonly send: <T>(
    call: () => Promise<Result<T>>,
    take: (value: T) => void | Promise<void>,
  ) => Promise<void>;
}

/** Something the person asked for and waits for, one at a time. */
export function createRequest(): Request {
  const [working, setWorking] = createSignal(false);
  const [error, setError] = createSignal<TaglatchError>();
  return {
    working,
    error,
    send: async (call, take) => {
      setWorking(true);
      setError(undefined);
      try {
        const answer = await call();
        if (answer.ok) await take(answer.value);
        else setError(answer.error);
      } catch (thrown) {
        setError(asTaglatchError(thrown));
      } finally {
        setWorking(false);
      }
    },
  };
}
