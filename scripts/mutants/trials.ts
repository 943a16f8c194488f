/** Tries faults on a bench: runs the tests of the nearest files that execute a fault, until one fails. */
import type { Bench, TestFile } from "./bench.ts";
import type { Mutant } from "./compile.ts";
import type { Job, Observed, Run, Told } from "./job.ts";
import { judge } from "./judge.ts";
import { limitsOf, type Trial, trialsOf } from "./plan.ts";

export type Verdict =
  | { readonly state: "killed"; readonly by: string }
  /** The tests of the nearest files that execute it pass; `tests` is their number. */
  | { readonly state: "survived"; readonly tests: number }
  /** No test executes it. */
  | { readonly state: "unreached" };

/**
 * On how many test files a fault is tried in each round. What these do not see counts as unseen: the rest of them,
 * far away, took half of all the time and could only have seen more.
 */
const ROUNDS = [1, 1, 2, 4, 8, 16];
/** `fresh`, because files may share a runtime: a module that an earlier file has imported would not run again. */
const PLAIN: Job = {
  runs: [{ mutant: 0, fresh: true }],
  patience: [],
  turns: Number.MAX_SAFE_INTEGER,
};

/** The verdict on each fault. Calls `say` with progress. Throws if a test fails without any fault. */
export async function tryAll(
  bench: Bench,
  mutants: readonly Mutant[],
  say: (line: string) => void,
): Promise<Map<Mutant, Verdict>> {
  const observed = await observe(bench, say);
  const left = trialsOf(mutants, observed);
  const verdicts = new Map<Mutant, Verdict>();
  const tried = new Map<Mutant, number>();
  for (const size of ROUNDS) {
    const round = new Map<Mutant, readonly Trial[]>();
    for (const [mutant, trials] of left) if (!verdicts.has(mutant)) round.set(mutant, trials.splice(0, size));
    const killed = await tryRound(bench, round, observed, say);
    for (const [mutant, trials] of round) {
      const by = killed.get(mutant.id);
      tried.set(mutant, (tried.get(mutant) ?? 0) + trials.reduce((sum, { tests }) => sum + tests.length, 0));
      if (by !== undefined) verdicts.set(mutant, { state: "killed", by });
    }
    say(`${verdicts.size} of ${mutants.length} seen`);
  }
  for (const [mutant, tests] of tried) if (!verdicts.has(mutant)) verdicts.set(mutant, lived(tests));
  return verdicts;
}

const lived = (tests: number): Verdict =>
  tests === 0 ? { state: "unreached" } : { state: "survived", tests };

async function observe(bench: Bench, say: (line: string) => void): Promise<Map<TestFile, Observed>> {
  const observed = new Map<TestFile, Observed>();
  const failures: string[] = [];
  await bench.run(new Map(bench.files.map((file) => [file, PLAIN])), (file, told) => {
    if (!("mutant" in told)) return;
    if (told.failed !== undefined) failures.push(`${file.name}: ${told.failed}`);
    if (told.observed !== undefined) observed.set(file, told.observed);
  });
  const silent = bench.files.filter((file) => !observed.has(file)).map(({ name }) => `${name}: did not run`);
  if (failures.length + silent.length > 0)
    throw new Error(`Fails without any fault:\n${[...failures, ...silent].join("\n")}`);
  say(`${bench.files.length} test files pass without a fault`);
  return observed;
}

/** The test that killed a fault, by the number of the fault; without the faults that no test killed. */
async function tryRound(
  bench: Bench,
  round: ReadonlyMap<Mutant, readonly Trial[]>,
  observed: ReadonlyMap<TestFile, Observed>,
  say: (line: string) => void,
): Promise<Map<number, string>> {
  const killed = new Map<number, string>();
  const queues = queuesOf(round);
  while (queues.size > 0) {
    const told = new Map<TestFile, Told[]>();
    const jobs = new Map<TestFile, Job>();
    for (const [file, runs] of queues) {
      const seen = observed.get(file);
      if (seen !== undefined) jobs.set(file, { runs, ...limitsOf(seen) });
    }
    await bench.run(jobs, (file, one) => told.set(file, [...(told.get(file) ?? []), one]));
    if (told.size === 0)
      throw new Error(`Do not run at all: ${[...queues.keys()].map(({ name }) => name).join(", ")}`);
    for (const [file, runs] of queues) {
      const judged = judge(runs, told.get(file) ?? []);
      for (const [mutant, failed] of judged.killed) killed.set(mutant, `${file.path}: ${failed}`);
      for (const doubt of judged.doubts) say(`${file.path}: ${doubt}`);
      if (judged.left.length === 0) queues.delete(file);
      else queues.set(file, judged.left);
    }
  }
  return killed;
}

/** The runs of each test file, the longest file first, so that no long one is left over at the end. */
function queuesOf(round: ReadonlyMap<Mutant, readonly Trial[]>): Map<TestFile, readonly Run[]> {
  const queues = new Map<TestFile, { runs: Run[]; cost: number }>();
  for (const [{ id }, trials] of round)
    for (const { file, fresh, tests, cost } of trials) {
      const run = { mutant: id, fresh, tests };
      const { runs, cost: before } = queues.get(file) ?? { runs: [], cost: 0 };
      queues.set(file, { runs: [...runs, run], cost: before + cost });
    }
  const longest = [...queues].sort(([, one], [, other]) => other.cost - one.cost);
  return new Map(longest.map(([file, { runs }]) => [file, runs]));
}
