/** Tries faults on a bench: every test that executes one may see it, the nearest first. */
import type { Bench, TestFile } from "./bench.ts";
import type { Mutant } from "./compile.ts";
import type { Job, Observed, Outcome, Run } from "./job.ts";
import { limitsOf, type Trial, trialsOf } from "./plan.ts";

export type Verdict =
  | { readonly state: "killed"; readonly by: string }
  /** Every test that executes it passed, so many. */
  | { readonly state: "survived"; readonly tests: number }
  /** No test executes it. */
  | { readonly state: "unreached" };

/** Test files a fault is tried on in each round; then all that are left. */
const ROUNDS = [1, 1, 2, 4, 8];
const CONTROL_EVERY = 8;
const MOST_SPOILT = 3;
/** Fresh: files may share a runtime, and what one has imported is not seen again in the next. */
const PLAIN: Job = {
  runs: [{ mutant: 0, fresh: true }],
  patience: [],
  turns: Number.MAX_SAFE_INTEGER,
  controlEvery: 1,
};

/** The verdict on each fault. `say` gets the progress. Throws if a test fails without any fault. */
export async function tryAll(
  bench: Bench,
  mutants: readonly Mutant[],
  say: (line: string) => void,
): Promise<Map<Mutant, Verdict>> {
  const observed = await observe(bench, say);
  const left = trialsOf(mutants, observed);
  const verdicts = new Map<Mutant, Verdict>();
  const tried = new Map<Mutant, number>();
  for (const size of [...ROUNDS, Number.MAX_SAFE_INTEGER]) {
    const round = new Map<Mutant, readonly Trial[]>();
    for (const [mutant, trials] of left) if (!verdicts.has(mutant)) round.set(mutant, trials.splice(0, size));
    const killed = await tryRound(bench, round, observed);
    for (const [mutant, trials] of round) {
      const by = killed.get(mutant.id);
      tried.set(mutant, (tried.get(mutant) ?? 0) + trials.reduce((sum, { tests }) => sum + tests.length, 0));
      if (by !== undefined) verdicts.set(mutant, { state: "killed", by });
      else if (left.get(mutant)?.length === 0) verdicts.set(mutant, lived(tried.get(mutant) ?? 0));
    }
    say(`${verdicts.size} of ${mutants.length} judged`);
  }
  return verdicts;
}

const lived = (tests: number): Verdict =>
  tests === 0 ? { state: "unreached" } : { state: "survived", tests };

async function observe(bench: Bench, say: (line: string) => void): Promise<Map<TestFile, Observed>> {
  const observed = new Map<TestFile, Observed>();
  const failures: string[] = [];
  await bench.run(new Map(bench.files.map((file) => [file, PLAIN])), (file, outcome) => {
    if (outcome.failed !== undefined) failures.push(`${file.name}: ${outcome.failed}`);
    if (outcome.observed !== undefined) observed.set(file, outcome.observed);
  });
  const silent = bench.files.filter((file) => !observed.has(file)).map(({ name }) => `${name}: did not run`);
  if (failures.length + silent.length > 0)
    throw new Error(`Fails without any fault:\n${[...failures, ...silent].join("\n")}`);
  say(`${bench.files.length} test files pass without a fault`);
  return observed;
}

/** What is left to run in one file, and how carefully. */
interface Queue {
  readonly runs: readonly Run[];
  readonly controlEvery: number;
  /** Times that the file failed by itself where faults were to be tried one at a time. */
  readonly spoilt: number;
  /** ms without faults. */
  readonly cost: number;
}

/** Names what killed each fault that something did, by its number. */
async function tryRound(
  bench: Bench,
  round: ReadonlyMap<Mutant, readonly Trial[]>,
  observed: ReadonlyMap<TestFile, Observed>,
): Promise<Map<number, string>> {
  const killed = new Map<number, string>();
  const queues = queuesOf(round);
  while (queues.size > 0) {
    const told = new Map<TestFile, Outcome[]>();
    const jobs = new Map<TestFile, Job>();
    for (const [file, { runs, controlEvery }] of queues) {
      const seen = observed.get(file);
      if (seen !== undefined) jobs.set(file, { runs, controlEvery, ...limitsOf(seen) });
    }
    await bench.run(jobs, (file, outcome) => told.set(file, [...(told.get(file) ?? []), outcome]));
    for (const [file, queue] of queues) {
      const left = judge(queue, file, told.get(file) ?? [], killed);
      if (left.runs.length === 0) queues.delete(file);
      else queues.set(file, left);
    }
  }
  return killed;
}

/** By test file, the longest first: the last to end should be a short one. */
function queuesOf(round: ReadonlyMap<Mutant, readonly Trial[]>): Map<TestFile, Queue> {
  const queues = new Map<TestFile, Queue>();
  for (const [{ id }, trials] of round)
    for (const { file, fresh, tests, cost } of trials) {
      const { runs, cost: before } = queues.get(file) ?? { runs: [], cost: 0 };
      queues.set(file, {
        runs: [...runs, { mutant: id, fresh, tests }],
        controlEvery: CONTROL_EVERY,
        spoilt: 0,
        cost: before + cost,
      });
    }
  return new Map([...queues].sort(([, one], [, other]) => other.cost - one.cost));
}

/**
 * Believes what was told before a control that passed, and the first run after one. What else was told before a control that
 * failed comes again, one at a time; so does what was not reached. A run that ended its runtime is a kill; where the file
 * fails before any fault, the runtime was spoilt by another file, and it comes again in a new one.
 */
function judge(
  queue: Queue,
  file: TestFile,
  outcomes: readonly Outcome[],
  killed: Map<number, string>,
): Queue {
  const [first] = outcomes;
  if (first?.mutant === 0 && first.failed !== undefined) {
    if (queue.spoilt === MOST_SPOILT)
      throw new Error(`Fails without any fault: ${file.name}: ${first.failed}`);
    return { ...queue, spoilt: queue.spoilt + 1 };
  }
  let believed = 0;
  let since: Outcome[] = [];
  const believe = (some: readonly Outcome[]) => {
    believed += some.length;
    for (const { mutant, failed } of some)
      if (failed !== undefined) killed.set(mutant, `${file.path}: ${failed}`);
  };
  for (const outcome of outcomes) {
    if (outcome.mutant !== 0) {
      since.push(outcome);
      continue;
    }
    believe(outcome.failed === undefined ? since : since.slice(0, 1));
    since = [];
  }
  if (believed === 0 && queue.controlEvery === 1) {
    const [run] = queue.runs;
    if (run !== undefined) killed.set(run.mutant, `${file.path}: the runtime fell`);
    believed = 1;
  }
  const rest = queue.runs.slice(believed);
  const isWhole = rest.length === 0 || outcomes.at(-1)?.failed === undefined;
  return { ...queue, runs: rest, controlEvery: isWhole ? queue.controlEvery : 1 };
}
