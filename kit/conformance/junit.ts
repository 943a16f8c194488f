/** The report of a run in JUnit's format, which build servers read. */
import { applied } from "./check-row.ts";
import { CHECKS } from "./checks.ts";
import { countsOf } from "./counts.ts";
import type { Run } from "./report.ts";
import type { CheckResult } from "./runner.ts";
import { CHECK_TEXTS, seenText } from "./texts/english.ts";

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
