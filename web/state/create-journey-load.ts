import { type Accessor, createEffect, onCleanup, onMount } from "solid-js";
import { asTaglatchError, type TaglatchError, type TaglatchErrorCode } from "../../sdk/index.ts";
import { listen, whenIdle } from "./browser.ts";
import type { JourneyCache } from "./create-cached-journey.ts";
import type { Journeys } from "./create-journeys.ts";
import { createRequest } from "./create-request.ts";

/** Not a refusal: the service was not reached. */
const UNREACHABLE: readonly TaglatchErrorCode[] = [
  "network",
  "service_timeout",
  "service_unavailable",
  "configuration_unavailable",
];
export const isUnreachable = (error: TaglatchError | undefined) =>
  error !== undefined && UNREACHABLE.includes(error.code);

const failed = (thrown: unknown) => ({ ok: false, error: asTaglatchError(thrown) }) as const;

/** Milliseconds until a service that was not reached is asked again by itself; each time twice as long, up to the last. */
const FIRST_WAIT = 5_000;
const LAST_WAIT = 80_000;

/**
 * Loads the journey of the address if this visit does not know it yet, or knows it only from an earlier one;
 * `load` loads it (again). What an earlier visit left is on the screen before anything is loaded for this.
 */
export function createJourneyLoad(
  journeys: Pick<Journeys, "known" | "isOld" | "refresh">,
  journeyCache: Pick<JourneyCache, "restored">,
  journeyId: Accessor<string>,
) {
  const { error, send } = createRequest();
  const load = () => send(() => journeys.refresh(journeyId()));
  // If there was no network, the journey is loaded as soon as there is one.
  const retry = () => {
    if (error()) void load();
  };
  listen(["online"], retry);
  createEffect(() => {
    if (isUnreachable(error())) onCleanup(askAgain());
  });

  const isOld = () => journeys.isOld(journeyId());
  onMount(async () => {
    if (journeys.known(journeyId()) && !isOld()) return;
    await journeyCache.restored();
    if (isOld()) whenIdle(() => void load());
    else if (!journeys.known(journeyId())) void load();
  });
  return { error, load };

  /** The error stays on the screen until there is another answer. Returns what ends it. */
  function askAgain(): () => void {
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const wait = (time: number) => {
      timer = setTimeout(async () => {
        const id = journeyId();
        const answer = await journeys.refresh(id).catch(failed);
        if (isOver || id !== journeyId()) return;
        if (!answer.ok && isUnreachable(answer.error)) return wait(Math.min(2 * time, LAST_WAIT));
        void send(async () => answer);
      }, time);
    };
    wait(FIRST_WAIT);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }
}
