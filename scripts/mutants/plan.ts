/** Plans which tests are run with which fault, and in which order. */
import { basename, dirname } from "node:path";
import type { TestFile } from "./bench.ts";
import type { Mutant } from "./compile.ts";
import type { Job, Observed } from "./job.ts";

/** One test file that executes a fault. */
export interface Trial {
  readonly file: TestFile;
  /** Indices of its tests. */
  readonly tests: readonly number[];
  readonly fresh: boolean;
  /** ms without a fault. */
  readonly cost: number;
}

/** Files of other folders that are tried whole where a fault takes part in the import. */
const WHOLE = 8;

/**
 * The trials of each fault: the tests that execute its code, the most likely to fail first. Code that a hook runs counts
 * for all tests of the file. Code that runs on import is tried on the tests that execute anything of the same source file,
 * and on the nearest test files as a whole, because a test that reads a constant executes nothing.
 */
export function trialsOf(
  mutants: readonly Mutant[],
  observed: ReadonlyMap<TestFile, Observed>,
): Map<Mutant, Trial[]> {
  const rows = [...observed].map(([file, seen]) => ({ file, seen, ...indexOf(seen, mutants) }));
  return new Map(
    mutants.map((mutant) => {
      const far = ({ file }: Trial) => distance(mutant, file) === FAR;
      const near = (one: Trial, other: Trial) =>
        distance(mutant, one.file) - distance(mutant, other.file) || one.cost - other.cost;
      const known = rows.flatMap((row) => trialOf(mutant, row) ?? []).sort(near);
      const importing = rows.filter(({ onImport }) => onImport.has(mutant.id));
      const whole = importing.map((row) => trial(row, true, row.seen.tests.keys())).sort(near);
      const neighbours = [...known, ...whole].filter((each) => !far(each));
      return [mutant, [...neighbours, ...known.filter(far), ...whole.filter(far).slice(0, WHOLE)]];
    }),
  );
}

interface Row {
  readonly file: TestFile;
  readonly seen: Observed;
  readonly onImport: ReadonlySet<number>;
  readonly around: ReadonlySet<number>;
  /** The tests that execute a site, and those that execute a source file. */
  readonly bySite: ReadonlyMap<number, ReadonlySet<number>>;
  readonly byPath: ReadonlyMap<string, ReadonlySet<number>>;
}

function indexOf(seen: Observed, mutants: readonly Mutant[]): Omit<Row, "file" | "seen"> {
  const paths = new Map(mutants.map(({ id, path }) => [id, path]));
  const bySite = new Map<number, Set<number>>();
  const byPath = new Map<string, Set<number>>();
  for (const [index, { sites }] of seen.tests.entries())
    for (const site of sites) {
      bySite.set(site, (bySite.get(site) ?? new Set()).add(index));
      const path = paths.get(site) ?? "";
      byPath.set(path, (byPath.get(path) ?? new Set()).add(index));
    }
  return { onImport: new Set(seen.onImport), around: new Set(seen.around), bySite, byPath };
}

function trialOf(mutant: Mutant, row: Row): Trial | undefined {
  const { seen, onImport, around, bySite, byPath } = row;
  const direct = bySite.get(mutant.id);
  // A hook may pass the fault on to a test that executes nothing of the source file itself.
  if (around.has(mutant.id)) return trial(row, mutant.atImport, seen.tests.keys());
  const fresh = onImport.has(mutant.id) || (mutant.atImport && direct !== undefined);
  const tests = fresh ? byPath.get(mutant.path) : direct;
  return tests === undefined ? undefined : trial(row, fresh, tests);
}

function trial({ file, seen }: Row, fresh: boolean, some: Iterable<number>): Trial {
  const tests = [...some].sort((a, b) => a - b);
  return { file, fresh, tests, cost: tests.reduce((sum, index) => sum + (seen.tests[index]?.ms ?? 0), 0) };
}

/** In another folder. */
const FAR = 3;

/** A test named like the file comes first, then its neighbours. */
function distance(mutant: Mutant, file: TestFile): number {
  const name = basename(mutant.path).replace(/\.tsx?$/, "");
  if (basename(file.path).startsWith(`${name}.`)) return 0;
  if (basename(file.path).startsWith(name.split("-")[0] ?? name)) return 1;
  return dirname(file.path) === dirname(mutant.path) ? 2 : FAR;
}

/** The limits of a run with a fault, from the time and turns that the same run takes without one. */
export function limitsOf(seen: Observed): Omit<Job, "runs"> {
  const patience = seen.tests.map(({ ms, turns }) => ({ ms: 3_000 + 5 * ms, turns: 100_000 + 5 * turns }));
  return { patience, turns: 100_000 + 5 * seen.turns };
}
