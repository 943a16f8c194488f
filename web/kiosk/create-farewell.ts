import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";
import type { Screen } from "./flow.ts";

/** What is said to whoever has ended a visit, in the language of that person: the kiosk goes back to its own. */
export interface Farewell {
  readonly text: string;
  readonly lang: string;
}

/** Milliseconds for which it stands there, unless somebody begins before. */
const SAID = 6_000;

/** Says farewell on the attract screen. */
export function createFarewell(screen: Accessor<Screen>) {
  const [farewell, setFarewell] = createSignal<Farewell>();
  createEffect(() => {
    if (farewell() === undefined) return;
    const timer = setTimeout(() => setFarewell(undefined), SAID);
    onCleanup(() => clearTimeout(timer));
  });
  createEffect(() => {
    if (screen() !== "attract") setFarewell(undefined);
  });
  return { farewell, sayFarewell: (words: Farewell) => void setFarewell(words) };
}
