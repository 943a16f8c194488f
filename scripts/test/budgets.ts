/**
 * Seconds each part of `npm test` may take on two cores that do nothing else: the build first, the others side by side after
 * it (the checks begin with it), four minutes in all. A test that exceeds it replaces another, or is left to
 * `npm run nightly`.
 */
const BUDGETS = { build: 20, checks: 120, vitest: 220, playwright: 220 } as const;

export type Part = keyof typeof BUDGETS;

/** The time a part took beside its budget. A slow machine does not fail; it is reported. */
export function againstBudget(part: Part, seconds: number): string {
  const over = Math.round(seconds) - BUDGETS[part];
  const line = `${part.padEnd(10)} ${seconds.toFixed(0).padStart(4)} s of ${BUDGETS[part]} s`;
  return over > 0 ? `${line}   <<< OVER BUDGET by ${over} s` : line;
}
