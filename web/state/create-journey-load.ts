import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";
import { asTaglatchError, type TaglatchError } from "../../sdk/index.ts";
import type { Journeys } from "./create-journeys.ts";
import type { Keeping } from "./create-kept-journey.ts";
import { whenIdle } from "./when-idle.ts";

/**
 * Asks for the journey of the address where this visit does not know it yet, or knows it from an earlier one only;
 * `load` asks (again). What an earlier visit left is on the screen before anything is loaded for the question.
 */
export function createJourneyLoad(
  journeys: Pick<Journeys, "known" | "isOld" | "refresh">,
  keeping: Pick<Keeping, "restored">,
  journeyId: Accessor<string>,
) {
  const [error, setError] = createSignal<TaglatchError>();
  const load = async () => {
    setError(undefined);
    try {
      const answer = await journeys.refresh(journeyId());
      if (!answer.ok) setError(answer.error);
    } catch (thrown) {
      setError(asTaglatchError(thrown));
    }
  };
  // Whoever was told that there is no network sees the journey as soon as there is one.
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
