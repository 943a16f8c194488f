import { onCleanup, onMount } from "solid-js";

const WAYS_OUT = ["copy", "cut", "dragstart", "contextmenu"] as const;

/** Nothing can be copied off a kiosk's screen, neither by clipboard nor by dragging. */
export function createNoCopies(): void {
  const keepHere = (event: Event) => event.preventDefault();
  onMount(() => {
    for (const way of WAYS_OUT) document.addEventListener(way, keepHere);
  });
  onCleanup(() => {
    for (const way of WAYS_OUT) document.removeEventListener(way, keepHere);
  });
}
