/** Which tests try which fault, and in which order. */
import { basename, dirname } from "node:path";
import type { TestFile } from "./bench.ts";
import type { Mutant } from "./compile.ts";
import type { Job, Observed } from "./job.ts";

/** One test file that executes a fault. */
export interface Trial {
  readonly file: TestFile;
  /** The tests that do; absent where all of them may. */
  readonly tests?: readonly number[];
  readonly fresh: boolean;
  /** ms without a fault. */
  readonly cost: number;
}

/** The trials of each fault, those most likely to see it first. */
export function trialsOf(
  mutants: readonly Mutant[],
  observed: ReadonlyMap<TestFile, Observed>,
): Map<Mutant, Trial[]> {
  const byMutant = new Map(mutants.map((mutant) => [mutant, [] as Trial[]]));
  for (const [file, seen] of observed) {
    const all = seen.tests.reduce((sum, { ms }) => sum + ms, 0);
    const onImport = new Set(seen.onImport);
    const around = new Set(seen.around);
    const testsBySite = new Map<number, number[]>();
    for (const [index, { sites }] of seen.tests.entries())
      for (const site of sites) testsBySite.set(site, [...(testsBySite.get(site) ?? []), index]);
    for (const [mutant, trials] of byMutant) {
      const { id } = mutant;
      const tests = testsBySite.get(id);
      const fresh = onImport.has(id) || (mutant.atImport && (tests !== undefined || around.has(id)));
      if (fresh || around.has(id)) trials.push({ file, fresh, cost: all });
      else if (tests !== undefined)
        trials.push({
          file,
          tests,
          fresh,
          cost: tests.reduce((sum, index) => sum + (seen.tests[index]?.ms ?? 0), 0),
        });
    }
  }
  for (const [mutant, trials] of byMutant)
    trials.sort((a, b) => distance(mutant, a.file) - distance(mutant, b.file) || a.cost - b.cost);
  return byMutant;
}

/** A test named like the file comes first, then its neighbours. */
function distance(mutant: Mutant, file: TestFile): number {
  const name = basename(mutant.path).replace(/\.tsx?$/, "");
  if (basename(file.path).startsWith(`${name}.`)) return 0;
  if (basename(file.path).startsWith(name.split("-")[0] ?? name)) return 1;
  return dirname(file.path) === dirname(mutant.path) ? 2 : 3;
}

/** What a run with a fault may take, from what all of the file took without. */
export function limitsOf(seen: Observed): Pick<Job, "patience" | "turns"> {
  const longest = Math.max(0, ...seen.tests.map(({ ms }) => ms));
  return { patience: 5_000 + 10 * longest, turns: 1_000_000 + 20 * seen.turns };
}
