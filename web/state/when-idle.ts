/** Longest wait (milliseconds) on a page that is never idle. */
const PATIENCE = 1_000;

/**
 * Does `work` after the screen has been drawn, once the browser has nothing more urgent to do: what somebody looks at
 * comes before what they may need next. At once where nothing is drawn.
 */
export function whenIdle(work: () => void): void {
  if (document.hidden) {
    work();
    return;
  }
  // The first frame is only being drawn when its callbacks run: it has been seen by the second.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (typeof requestIdleCallback === "function") requestIdleCallback(work, { timeout: PATIENCE });
      // Safari.
      else setTimeout(work);
    }),
  );
}
