import { type Accessor, createSignal, onCleanup } from "solid-js";
import { whenIdle } from "./when-idle.ts";

/** True at once, or after the next drawing: what lies below the screen's end must not hold up what is on it. */
export function createSoon(isNow: boolean): Accessor<boolean> {
  const [isThere, setThere] = createSignal(isNow);
  let isGone = false;
  onCleanup(() => {
    isGone = true;
  });
  if (!isNow) whenIdle(() => isGone || setThere(true));
  return isThere;
}
