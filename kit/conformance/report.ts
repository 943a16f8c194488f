/** The report of a run: every check with its words, and the tag it was about. */
import { REPORT_FORMAT, type Report, type ReportWord, reportText } from "../../core/sec/report.ts";
import { applied } from "./check-row.ts";
import { CHECKS } from "./checks.ts";
import { countsOf } from "./counts.ts";
import type { CheckResult, TagFacts } from "./runner.ts";
import { CHECK_TEXTS, seenText } from "./texts/english.ts";

/** A run, as the report describes it. */
export interface Run {
  readonly tag: TagFacts;
  /** The groups or checks that were asked for; absent: all. */
  readonly group: string | undefined;
  readonly results: readonly CheckResult[];
  readonly date: Date;
}

/** What the tag is asked to sign: stable numbers and keys for machines, sentences for people. */
export function reportOf({ tag, group, results, date }: Run): Report {
  return {
    format: REPORT_FORMAT,
    date: date.toISOString(),
    tag: { ...tag },
    group: group ?? "all",
    counts: { ...countsOf(results) },
    checks: results.map(({ id, outcome, seen, took }) => ({
      id,
      applies: applied({ outcome, seen }),
      group: CHECKS.find((check) => check.id === id)?.group ?? "",
      outcome,
      ...CHECK_TEXTS[id],
      seen: seenText(seen),
      observation: [...seen],
      milliseconds: took,
    })),
  };
}

/** The report as a file, with the tag's statement where there is one. */
export function reportFile(report: Report, word: ReportWord | undefined): string {
  return reportText(word === undefined ? report : { ...report, word: { ...word } });
}
