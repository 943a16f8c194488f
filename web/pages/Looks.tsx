import { useAppState } from "../state/app-state.tsx";
import { createLooks } from "../state/create-looks.ts";

/** Renders nothing: keeps the journey on the screen up to date. */
export function Looks(props: { readonly journeyId: string }): undefined {
  const { journeys, jobs, outbox } = useAppState();
  createLooks(
    () => journeys.refresh(props.journeyId),
    // What waits here is unknown to the service, whose answer would undo it on the screen.
    () => navigator.onLine && jobs() === 0 && outbox.entries().length === 0,
  );
}
