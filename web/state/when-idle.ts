/** Longest wait (milliseconds) on a page that is never idle. */
const PATIENCE = 1_000;

/**
 * Does `work` after the screen has been drawn, once the browser has nothing more urgent to do: what is on the
 * screen comes before what may be needed next. Does it at once where nothing is drawn.
 */
export function whenIdle(work: () => void): void {
  if (document.hidden) {
    work();
    return;
  }
  // When the callbacks of the first frame run, it is only being drawn; at the second, it has been seen.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (typeof requestIdleCallback === "function") requestIdleCallback(work, { timeout: PATIENCE });
      // Safari.
      else setTimeout(work);
    }),
  );
}
