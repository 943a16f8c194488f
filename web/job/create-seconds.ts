import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from "solid-js";

/** Whole seconds since `of` last changed; stays at 0 while it is undefined. */
export function createSeconds(of: Accessor<unknown>): Accessor<number> {
  const [seconds, setSeconds] = createSignal(0);
  createEffect(
    on(createMemo(of), (subject) => {
      setSeconds(0);
      if (subject === undefined) return;
      const timer = setInterval(() => setSeconds((count) => count + 1), 1000);
      onCleanup(() => clearInterval(timer));
    }),
  );
  return seconds;
}
