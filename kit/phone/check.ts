/** `npm run phone -- check`: the checks of /conformance without a page and without a person. */
import { writeFileSync } from "node:fs";
import type { Report, ReportWord } from "../../core/sec/report.ts";
import { applied, countsOf, rowsNamed } from "../conformance/check-row.ts";
import { CHECKS } from "../conformance/checks.ts";
import type { Desk } from "../conformance/desk.ts";
import type { Bench } from "../conformance/probe.ts";
import { junitOf, type Run, reportFile, reportOf, signReport } from "../conformance/report.ts";
import { type CheckResult, runChecks, type TagFacts } from "../conformance/runner.ts";
import { seenText } from "../conformance/seen.ts";
import { CHECK_TEXTS } from "../conformance/texts/english.ts";
import type { Workbench } from "../conformance/workbench.ts";
import type { CheckOptions } from "./options.ts";

export interface CheckRun extends CheckOptions, Pick<Bench, "requested"> {
  readonly workbench: Workbench;
  readonly print: (line: string) => void;
  /** Milliseconds between two tries for the tag's message_1 allowance. Default the page's. */
  readonly pause?: number;
}

/** Whether no check failed and one at least has passed. Throws as {@link runChecks} does. */
export async function checkTag(options: CheckRun): Promise<boolean> {
  const { only, lockout, report, print, workbench, pause, requested } = options;
  const { signal } = new AbortController();
  const rows = only === undefined ? CHECKS : rowsNamed(CHECKS, only);
  const bench = {
    ...(await workbench.bench(await workbench.choose(signal), signal)),
    ...(pause && { pause }),
    ...(requested && { requested }),
  };
  const results: CheckResult[] = [];
  let tag: TagFacts | undefined;
  await runChecks(rows, bench, {
    signal,
    optional: lockout,
    onTag: (facts) => {
      tag = facts;
      print(`${facts.name}  ${facts.id}  GATT v${facts.generation}  firmware ${facts.firmware}`);
    },
    onStart: () => undefined,
    onResult: (result) => {
      results.push(result);
      for (const line of linesOf(result, `${results.length}/${rows.length}`)) print(line);
    },
    onEnd: async (desk) => {
      if (report === undefined || tag === undefined) return;
      await writeReport(report, { tag, group: only?.join(","), results, date: new Date() }, desk, print);
    },
  });
  const { pass, fail, skip } = countsOf(results);
  print(`${pass} passed, ${fail} failed, ${skip} could not run`);
  return fail === 0 && pass > 0;
}

const OUTCOMES = { pass: "passed", fail: "FAILED", skip: "could not run" } as const;

/** One line; of a check that did not pass, also why. None of a check that is not about this tag. */
function linesOf(result: CheckResult, progress: string): readonly string[] {
  const { id, outcome, seen, took } = result;
  if (!applied(result)) return [];
  const { title, expected, section } = CHECK_TEXTS[id];
  const line = `  ${progress.padStart(7)}  ${id}  ${OUTCOMES[outcome]}  ${title}  ${took} ms`;
  if (outcome === "pass") return [line];
  const indent = " ".repeat(16);
  const rule = outcome === "fail" ? [`${indent}expected: ${expected} (docs/protocol.md, ${section})`] : [];
  return [line, ...rule, `${indent}seen: ${seenText(seen)}`];
}

async function writeReport(file: string, run: Run, desk: Desk, print: CheckRun["print"]): Promise<void> {
  const report: Report = reportOf(run);
  const word: ReportWord | undefined = run.tag.signs ? await signReport(report, desk) : undefined;
  const junit = `${file.replace(/\.json$/, "")}.xml`;
  writeFileSync(file, reportFile(report, word));
  writeFileSync(junit, junitOf(run));
  print(`${file} (${word === undefined ? "not signed" : "signed by the tag"}), ${junit}`);
}
