/** Node's own, in programs that Vitest does not start. */
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };

/**
 * Whether every test runs at its full size (`FULL=1`, as `npm run nightly` does), or the daily part of it. Written out as it
 * is, because Vitest knows `import.meta.env` by its text: in any other form it comes from a cache, with the values of an
 * earlier run.
 */
export const FULL = (import.meta.env === undefined ? process.env.FULL : import.meta.env.VITE_FULL) === "1";

/** What a test uses daily, or at its full size. */
export const dailyOrFull = <Daily, Full>(daily: Daily, full: Full): Daily | Full => (FULL ? full : daily);

/** Generated inputs per property: `daily`, or 3,000. */
export const cases = (daily: number): { readonly numRuns: number } => ({
  numRuns: dailyOrFull(daily, 3_000),
});
