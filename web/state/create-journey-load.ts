import { type Accessor, createSignal, onMount } from "solid-js";
import { asTaglatchError, type TaglatchError } from "../sdk/errors.ts";
import type { Journeys } from "./create-journeys.ts";

/**
 * Asks for the journey of the address where this visit does not know it yet, or knows it from an earlier one only;
 * `load` asks (again).
 */
export function createJourneyLoad(journeys: Journeys, journeyId: Accessor<string>) {
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
  onMount(() => {
    if (!journeys.known(journeyId()) || journeys.isOld(journeyId())) void load();
  });
  return { error, load };
}
