import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";
import type { Bag } from "./bags.ts";

/** Bags whose cards are on the screen: a card says itself what notices would say above it. */
export interface Cards {
  readonly shown: Accessor<readonly Bag[]>;
  /** Until the component is gone. */
  readonly show: (bags: () => readonly Bag[]) => void;
}

export function createCards(): Cards {
  const [shown, setShown] = createSignal<readonly Bag[]>([]);
  return {
    shown,
    show: (bags) => {
      createEffect(() => setShown(bags()));
      onCleanup(() => setShown([]));
    },
  };
}
