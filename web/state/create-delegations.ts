import { type Accessor, createSignal, onCleanup } from "solid-js";
import type { Delegation, Taglatch } from "../../sdk/index.ts";

const EVERY = 3_000;
const AT_MOST = 600_000;

export interface Delegations {
  /** Undefined until the service has answered. */
  readonly all: Accessor<readonly Delegation[] | undefined>;
  /** Asks at once, and for ten minutes more. */
  readonly refresh: () => Promise<void>;
}

/**
 * The delegations of this person, asked for every three seconds while somebody looks, ten minutes at most. `also` is done
 * each time, after them. What cannot be asked now is asked the next time. Nothing is asked before `refresh`.
 */
export function createDelegations(
  load: () => Promise<Taglatch>,
  also: (all: readonly Delegation[]) => Promise<unknown> = async () => undefined,
): Delegations {
  const [all, setAll] = createSignal<readonly Delegation[]>();
  let until = 0;
  let asking: Promise<void> | undefined;
  let isGone = false;

  const ask = async () => {
    const answer = await (await load()).delegations.list();
    if (isGone || !answer.ok) return;
    setAll(answer.value);
    await also(answer.value);
  };
  const askOnce = () => {
    asking ??= ask()
      .catch(() => undefined)
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };
  const refresh = async () => {
    until = Date.now() + AT_MOST;
    // An answer that is under way may be older than what has just been done.
    await asking;
    await askOnce();
  };
  const timer = setInterval(() => {
    if (document.visibilityState === "visible" && Date.now() < until) void askOnce();
  }, EVERY);
  onCleanup(() => {
    isGone = true;
    clearInterval(timer);
  });
  return { all, refresh };
}
