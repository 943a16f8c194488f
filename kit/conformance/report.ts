import { toBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import {
  REPORT_FORMAT,
  type Report,
  type ReportWord,
  reportChallenge,
  reportText,
} from "../../core/sec/report.ts";
import { sleep } from "../../sdk/index.ts";
import { applied, countsOf } from "./check-row.ts";
import { CHECKS } from "./checks.ts";
import type { Desk } from "./desk.ts";
import type { CheckResult, TagFacts } from "./runner.ts";
import { seenText } from "./seen.ts";
import type { SecSession } from "./session.ts";
import { CHECK_TEXTS } from "./texts/english.ts";
import { Skipped } from "./types.ts";

/** The report of a run: every check with its words, and the tag it was about. */

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

/** The tag's statement on a report. */

/** A tag that the run has locked opens after 30 s. */
const LOCKED = { pause: 2_000, attempts: 20 } as const;

/** Asks the tag to sign `report`, in the session that the run left. Undefined where it does not. Throws `cancelled`. */
export async function signReport(report: Report, desk: Desk): Promise<ReportWord | undefined> {
  const { signal } = desk.probe;
  try {
    const session = await unlocked(desk);
    const answer = await session.askStatement(await reportChallenge(report));
    const [certificate] = session.opened.peerChain;
    if (answer.kind !== "statement" || certificate === undefined) return undefined;
    return { certificate: toBase64(certificate), statement: toBase64Url(answer.statement) };
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

async function unlocked(desk: Desk): Promise<SecSession> {
  const { bench, signal } = desk.probe;
  for (let attempt = 1; ; attempt++) {
    try {
      await desk.probe.connected();
      return await desk.statementSession();
    } catch (error) {
      if (!(error instanceof Skipped) || attempt === LOCKED.attempts) throw error;
      await sleep(bench.pause ?? LOCKED.pause, signal);
    }
  }
}

/** The report of a run in JUnit's format, which build servers read. */

/** One suite: the tag. One case for each check that applies; a check that could not run is skipped. */
export function junitOf({ tag, results, date }: Run): string {
  const about = results.filter(applied);
  const { applies, fail, skip } = countsOf(results);
  const seconds = about.reduce((sum, { took }) => sum + took, 0) / 1_000;
  const suite = attributes({
    name: `${tag.name} ${tag.id} GATT v${tag.generation}`,
    tests: applies,
    failures: fail,
    skipped: skip,
    errors: 0,
    time: seconds.toFixed(3),
    timestamp: date.toISOString(),
  });
  const lines = [
    `<testsuites>`,
    `  <testsuite${suite}>`,
    ...about.map(caseOf),
    `  </testsuite>`,
    `</testsuites>`,
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>\n${lines.join("\n")}\n`;
}

function caseOf({ id, outcome, seen, took }: CheckResult): string {
  const { title, expected, section } = CHECK_TEXTS[id];
  const group = CHECKS.find((check) => check.id === id)?.group ?? "";
  const own = attributes({
    classname: `conformance.${group}`,
    name: `${id} ${title}`,
    time: (took / 1_000).toFixed(3),
  });
  if (outcome === "pass") return `    <testcase${own}/>`;
  const message = attributes({ message: seenText(seen) });
  const inner =
    outcome === "skip"
      ? `<skipped${message}/>`
      : `<failure${message}>${escaped(`Expected: ${expected} (docs/protocol.md, ${section})`)}</failure>`;
  return `    <testcase${own}>${inner}</testcase>`;
}

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(`${value}`)}"`)
    .join("");

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A tag's name and version may have any character; XML 1.0 has no control characters, not even escaped. */
const escaped = (text: string): string =>
  text.replace(/\p{Cc}|\p{Cs}/gu, "\u{FFFD}").replace(/[&<>"]/g, (one) => ENTITIES[one] ?? one);
