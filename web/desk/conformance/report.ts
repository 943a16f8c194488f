/** The report of a run: every check with its words, and the tag it was about. */
import { REPORT_FORMAT, type Report, type ReportWord, reportText } from "../../../core/sec/report.ts";
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

/** A run, as the report tells it. */
export interface Run {
  readonly tag: TagFacts;
  readonly results: readonly CheckResult[];
  readonly date: Date;
}

/** What the tag is asked to sign: stable numbers and keys for machines, sentences for people. */
export function reportOf({ tag, results, date }: Run, words: ReportWords): Report {
  return {
    format: REPORT_FORMAT,
    date: date.toISOString(),
    tag: { ...tag },
    counts: countsOf(results),
    checks: results.map(({ id, outcome, seen, took }) => ({
      id,
      group: CHECKS.find((check) => check.id === id)?.group ?? "",
      outcome,
      ...words.checks[id],
      seen: seenText(seen, words),
      observation: [...seen],
      milliseconds: took,
    })),
  };
}

/** The report as a file, with the tag's word where there is one. */
export function reportFile(report: Report, word: ReportWord | undefined): string {
  return reportText(word === undefined ? report : { ...report, word: { ...word } });
}
