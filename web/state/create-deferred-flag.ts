import { type Accessor, createSignal, onCleanup } from "solid-js";
import { whenIdle } from "./browser.ts";

/**
 * True at once, or later: usually after the next drawing, since what lies below the screen's end must not hold up what is on
 * it; with `setTimeout` in the next task, so that two halves of one drawing are not one long task.
 */
export function createDeferredFlag(
  isNow: boolean,
  later: (work: () => void) => unknown = whenIdle,
): Accessor<boolean> {
  const [isThere, setThere] = createSignal(isNow);
  let isGone = false;
  onCleanup(() => {
    isGone = true;
  });
  if (!isNow) later(() => isGone || setThere(true));
  return isThere;
}
