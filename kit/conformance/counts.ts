/** The totals of a run. */
import { applied } from "./check-row.ts";
import type { CheckOutcome, Verdict } from "./types.ts";

/** Of the checks that apply: `skip` should have run and tested nothing. */
export interface Counts {
  readonly applies: number;
  readonly pass: number;
  readonly fail: number;
  readonly skip: number;
}

export function countsOf(results: readonly Verdict[]): Counts {
  const about = results.filter(applied);
  const count = (outcome: CheckOutcome) => about.filter((result) => result.outcome === outcome).length;
  return { applies: about.length, pass: count("pass"), fail: count("fail"), skip: count("skip") };
}
