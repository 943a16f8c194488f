import { onCleanup, onMount } from "solid-js";
import { useAppState } from "../state/app-state.tsx";

/** How old an answer is when the person comes back and the page asks again, and while they stay (milliseconds). */
const SINCE_RETURN = 5_000;
const SINCE_LOOKING = 60_000;

/**
 * Renders nothing: keeps the journey on the screen up to date. It asks when the person comes back to the page, and every
 * minute while it is in sight: what other people did to a bag shows without a reload.
 */
export function Looks(props: { readonly journeyId: string }): undefined {
  const { journeys, jobs, outbox } = useAppState();
  // What waits here is unknown to the service, whose answer would undo it on the screen.
  const canLook = () => navigator.onLine && jobs() === 0 && outbox.entries().length === 0;
  let last = Date.now();
  const lookAfter = (wait: number) => {
    if (document.hidden || !canLook() || Date.now() - last < wait) return;
    last = Date.now();
    // What cannot be loaded now stays as it is: the next look, or the person, asks again.
    void journeys.refresh(props.journeyId).catch(() => undefined);
  };
  const back = () => lookAfter(SINCE_RETURN);
  onMount(() => {
    const timer = setInterval(() => lookAfter(SINCE_LOOKING), SINCE_LOOKING);
    addEventListener("focus", back);
    document.addEventListener("visibilitychange", back);
    onCleanup(() => {
      clearInterval(timer);
      removeEventListener("focus", back);
      document.removeEventListener("visibilitychange", back);
    });
  });
}
