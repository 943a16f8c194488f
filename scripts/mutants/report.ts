/** Results of the faults, by file and by area. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { printTable } from "../bench/table.ts";
import { ROOT } from "../project-files.ts";
import { AREAS } from "./areas.ts";
import { type Chosen, keyOf } from "./choose.ts";
import type { Mutant } from "./compile.ts";
import type { Verdict } from "./trials.ts";

/** A fault and its verdict, as it is written down. */
export interface Judged {
  readonly path: string;
  readonly area: string;
  readonly mutant: Mutant;
  readonly verdict: Verdict;
}

/** Prints all of it; true where every area with a goal reaches it. */
export function report(chosen: readonly Chosen[], judged: readonly Judged[], list: boolean): boolean {
  if (list) printSurvivors(judged);
  printTable(
    "Faults seen by the tests, by file",
    chosen.map(({ path, area }) => ({
      file: path,
      area: area.name,
      ...countsOf(judged.filter((one) => one.path === path)),
    })),
  );
  const areas = AREAS.filter(({ name }) => judged.some(({ area }) => area === name)).map(({ name, goal }) => {
    const own = judged.filter(({ area }) => area === name);
    return { name, goal, own, share: shareOf(own) };
  });
  printTable(
    "By area",
    areas.map(({ name, goal, own }) => ({
      area: name,
      ...countsOf(own),
      goal: goal === undefined ? "" : `≥ ${goal} %`,
    })),
  );
  save(judged);
  return areas.every(({ goal, share }) => goal === undefined || share >= goal);
}

function countsOf(judged: readonly Judged[]): { faults: number; seen: number; share: string } {
  return {
    faults: judged.length,
    seen: judged.filter(isSeen).length,
    // Rounded down: 94.9 does not reach 95.
    share: `${Math.floor(shareOf(judged))} %`,
  };
}

const isSeen = ({ verdict }: Judged) => verdict.state === "killed";
const shareOf = (judged: readonly Judged[]) => (100 * judged.filter(isSeen).length) / judged.length;

function printSurvivors(judged: readonly Judged[]): void {
  for (const { path, mutant, verdict } of judged) {
    if (verdict.state === "killed") continue;
    const tests =
      verdict.state === "survived" ? `${verdict.tests} tests that execute it pass` : "no test executes it";
    console.log(
      `${path}:${mutant.line}  ${mutant.kind}, ${tests}\n  - ${mutant.original}\n  + ${mutant.mutated}`,
    );
  }
}

const FOLDER = join(ROOT, "test-results");
const SAVED = join(FOLDER, "mutants.json");

/** The faults that nobody saw in the last run, as {@link Choice} names them. Throws if there was none. */
export function unseen(): ReadonlySet<string> {
  const rows: readonly SavedRow[] = JSON.parse(readFileSync(SAVED, "utf8"));
  return new Set(rows.filter(({ state }) => state !== "killed").map((row) => `${row.path}\n${keyOf(row)}`));
}

type SavedRow = { path: string; original: string; mutated: string; state: Verdict["state"] };

function save(judged: readonly Judged[]): void {
  mkdirSync(FOLDER, { recursive: true });
  const rows = judged.map(({ path, area, mutant: { line, kind, original, mutated }, verdict }) => ({
    path,
    line,
    area,
    kind,
    original,
    mutated,
    ...verdict,
  }));
  writeFileSync(SAVED, `${JSON.stringify(rows, undefined, 1)}\n`);
}
