import { type Accessor, onCleanup, onMount } from "solid-js";
import type { Journeys } from "./create-journeys.ts";
import type { Keeping } from "./create-kept-journey.ts";
import { createRequest } from "./create-request.ts";
import { whenIdle } from "./when-idle.ts";

/**
 * Loads the journey of the address if this visit does not know it yet, or knows it only from an earlier one;
 * `load` loads it (again). What an earlier visit left is on the screen before anything is loaded for this.
 */
export function createJourneyLoad(
  journeys: Pick<Journeys, "known" | "isOld" | "refresh">,
  keeping: Pick<Keeping, "restored">,
  journeyId: Accessor<string>,
) {
  const { error, send } = createRequest();
  const load = () => send(() => journeys.refresh(journeyId()));
  // If there was no network, the journey is loaded as soon as there is one.
  const retry = () => {
    if (error()) void load();
  };
  addEventListener("online", retry);
  onCleanup(() => removeEventListener("online", retry));

  const isOld = () => journeys.isOld(journeyId());
  onMount(async () => {
    if (journeys.known(journeyId()) && !isOld()) return;
    await keeping.restored();
    if (isOld()) whenIdle(() => void load());
    else if (!journeys.known(journeyId())) void load();
  });
  return { error, load };
}
