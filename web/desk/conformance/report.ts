/** The report of a run: every check with its words, and the tag it was about. */
import { CHECKS, type CheckId } from "./checks.ts";
import type { CheckResult, TagFacts } from "./runner.ts";
import type { CheckOutcome, Seen, SeenKey } from "./types.ts";

/** What the page's language says of a check. */
export interface CheckWords {
  readonly title: string;
  readonly expected: string;
  readonly why: string;
  readonly section: string;
}

export interface ReportWords {
  readonly checks: Readonly<Record<CheckId, CheckWords>>;
  readonly seen: Readonly<Record<SeenKey, (...values: (string | number)[]) => string>>;
}

export function seenText(seen: Seen, words: ReportWords): string {
  const [key, ...values] = seen;
  return words.seen[key](...values).trim();
}

export function countsOf(results: readonly CheckResult[]): Readonly<Record<CheckOutcome, number>> {
  const count = (outcome: CheckOutcome) => results.filter((result) => result.outcome === outcome).length;
  return { pass: count("pass"), fail: count("fail"), skip: count("skip") };
}

/** The report as a file: stable numbers and keys for machines, sentences for people. */
export function reportFile(
  tag: TagFacts,
  results: readonly CheckResult[],
  words: ReportWords,
  date: Date,
): string {
  const rows = results.map(({ id, outcome, seen, took }) => ({
    id,
    group: CHECKS.find((check) => check.id === id)?.group,
    outcome,
    ...words.checks[id],
    seen: seenText(seen, words),
    observation: seen,
    milliseconds: took,
  }));
  const file = {
    format: "taglatch-conformance/1",
    date: date.toISOString(),
    tag,
    counts: countsOf(results),
    checks: rows,
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}
