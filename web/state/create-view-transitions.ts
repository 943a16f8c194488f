import { useBeforeLeave, useIsRouting } from "@solidjs/router";
import { createEffect, on } from "solid-js";

/**
 * Longest time (milliseconds) that the old screen waits for the new one; a slower one comes without a
 * transition.
 */
const PATIENCE = 250;

/**
 * One screen turns into the next by a view transition, if the browser can do it and the person has not asked
 * for reduced motion. Back and forward do without: the browser has gestures of its own for them.
 */
export function createViewTransitions(): void {
  const routing = useIsRouting();
  let arrived = () => undefined as unknown;
  createEffect(
    on(routing, (under) => {
      if (!under) arrived();
    }),
  );
  useBeforeLeave((leaving) => {
    if (leaving.defaultPrevented || typeof leaving.to !== "string" || !isWanted()) return;
    if (new URL(leaving.to, location.href).pathname === location.pathname) return;
    leaving.preventDefault();
    const transition = document.startViewTransition(
      () =>
        new Promise<void>((resolve) => {
          arrived = () => resolve();
          setTimeout(resolve, PATIENCE);
          leaving.retry(true);
          // A screen that had nothing to load is already there.
          if (!routing()) resolve();
        }),
    );
    // A transition that the next one overtakes is no failure.
    transition.ready.catch(() => undefined);
    transition.finished.catch(() => undefined);
  });
}

function isWanted(): boolean {
  return (
    typeof document.startViewTransition === "function" &&
    !document.hidden &&
    !matchMedia("(prefers-reduced-motion: reduce)").matches
  );
}
