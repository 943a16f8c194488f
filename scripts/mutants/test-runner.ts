/**
 * Runs one test file many times in one runtime, each time with another fault switched on ("awake"). Vitest sees a file with
 * a single test; the results of the runs are annotations of that test.
 */
import {
  type RunnerTask,
  type RunnerTestCase,
  type RunnerTestFile,
  TestRunner,
  test,
  type VitestTestRunner,
  vi,
} from "vitest";
import { startTests } from "vitest/internal/browser";
import { type Job, type Observed, type Outcome, type Patience, type Run, SAID, type Told } from "./job.ts";

/** The real ones: tests replace them. */
const { setTimeout, clearTimeout } = globalThis;
/** What tests replace. A test that is stopped in the middle does not restore it, so this file does. */
const platform = [
  keeper(globalThis, "setTimeout"),
  keeper(globalThis, "clearTimeout"),
  keeper(performance, "now"),
  keeper(Math, "random"),
];

/** The state behind the calls that `compile.ts` has put into the code. */
const asked = { awake: 0, seen: new Set<number>(), turns: 0, limit: Number.POSITIVE_INFINITY, refused: 0 };
/** Set once for all files that share this runtime. */
const runtime = globalThis as { __mutantsSpoilt?: boolean };
let strays = 0;
/** Turns for tidying up after something that was told to end, and how often it is told before it may do nothing more. */
const GRACE = 10_000;
const REFUSALS = 100;
/** ms for what runs before and after tests once it is known to end. */
const HOOK = 20_000;
/** For a test of which nobody knows yet how long it takes. */
const LONG: Patience = { ms: 300_000, turns: Number.POSITIVE_INFINITY };
/** After so many runs comes one without a fault: what a fault leaves behind must not fail the next. */
const CONTROL_EVERY = 8;
const countStray = (): void => {
  strays += 1;
};

Object.assign(globalThis, {
  __mutant(id: number): boolean {
    asked.seen.add(id);
    return id === asked.awake;
  },
  __mutantTurn(): void {
    asked.turns += 1;
    if (asked.turns <= asked.limit) return;
    asked.refused += 1;
    if (asked.refused < REFUSALS) asked.limit += GRACE;
    throw new Error("this does not end");
  },
});

export default class MutantRunner extends TestRunner {
  /** Vitest sets it. */
  declare onTestAnnotate: Required<VitestTestRunner>["onTestAnnotate"];

  override importFile(_path: string, source: "collect" | "setup"): unknown {
    if (source === "collect") test("mutants", () => undefined);
    return undefined;
  }

  /** The nested runs define tests, and no test may do that: they run after the file has ended. */
  override async onAfterRunFiles(files: RunnerTestFile[]): Promise<void> {
    super.onAfterRunFiles(files);
    const [file] = files;
    const [task] = files.flatMap(testsIn);
    if (file === undefined || task === undefined) return;
    process.on("unhandledRejection", countStray);
    await this.work(file.filepath, task);
    process.off("unhandledRejection", countStray);
  }

  private async work(path: string, task: RunnerTestCase): Promise<void> {
    const job = (this.injectValue("mutantJobs") as Readonly<Record<string, Job>>)[path];
    if (job === undefined || runtime.__mutantsSpoilt) return;
    const tell = async (told: Told) => {
      await this.onTestAnnotate(task, { message: JSON.stringify(told), type: SAID });
    };
    let since: Run[] = [];
    const failureWithout = async (runs: readonly Run[], fresh: boolean) => {
      const plain = { ...controlOf(runs), mutant: 0, ...(fresh && { fresh }) };
      return (await this.once(path, job, plain, tell)).failed;
    };
    const control = async (fresh: boolean) => (await failureWithout(since, fresh)) === undefined;
    for (const [index, run] of job.runs.entries()) {
      // Twice: tests may pass in a world that is new, and in no other.
      const failed =
        run.alone && ((await failureWithout([run], false)) ?? (await failureWithout([run], false)));
      if (failed) {
        await tell({ unfit: run.mutant, failed });
        continue;
      }
      await this.once(path, job, run, tell);
      if (run.mutant === 0) continue;
      since.push(run);
      const isDue = run.alone === true || since.length === CONTROL_EVERY || index + 1 === job.runs.length;
      if (!isDue) continue;
      // Mostly it is left in a module, and a fresh import helps. If not, all that is left needs a new runtime.
      if (!(await control(false)) && !(await control(true))) {
        runtime.__mutantsSpoilt = true;
        return;
      }
      since = [];
    }
  }

  private async once(
    path: string,
    job: Job,
    run: Run,
    tell: (told: Told) => Promise<void>,
  ): Promise<Outcome> {
    await tell({ began: run.mutant });
    const nested = new NestedRun(this, job, run);
    if (run.fresh) vi.resetModules();
    Object.assign(asked, { awake: run.mutant, seen: new Set(), turns: 0, limit: job.turns, refused: 0 });
    strays = 0;
    const started = performance.now();
    const [file] = await startTests([path], nested.runner);
    await new Promise((resolve) => setTimeout(resolve, 0));
    const ms = performance.now() - started;
    asked.awake = 0;
    // What was evaluated with a fault awake is not for the next.
    if (run.fresh) vi.resetModules();
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    for (const putBack of platform) putBack();
    const failed = nested.failed ?? failureOf(file) ?? (strays > 0 ? "an unhandled rejection" : undefined);
    const outcome = {
      mutant: run.mutant,
      failed,
      ms,
      ...(isPlain(run) ? { observed: nested.observed() } : {}),
    };
    await tell(outcome);
    return outcome;
  }

  /** Imports a file as Vitest's own runner does. */
  importNow(path: string, source: "collect" | "setup"): unknown {
    return super.importFile(path, source);
  }
}

/** One run: reports nothing to Vitest, runs the chosen tests, and stops at the first that fails. */
class NestedRun {
  failed: string | undefined;
  readonly runner: MutantRunner;
  readonly #run: Run;
  readonly #job: Job;
  /** All of the file, and what each that ran has taken and executed. */
  #tests: { readonly test: RunnerTestCase; turns: number; readonly sites: number[] }[] = [];
  #onImport: number[] = [];
  #around: number[] = [];

  constructor(outer: MutantRunner, job: Job, run: Run) {
    this.#run = run;
    this.#job = job;
    const hookTimeout = isPlain(run) ? LONG.ms : HOOK;
    const own: Partial<Record<keyof TestRunner | string, unknown>> = {
      config: {
        ...outer.config,
        name: `${outer.config.name} with faults`,
        hookTimeout,
      },
      importFile: (path: string, source: "collect" | "setup") =>
        within(hookTimeout, () => outer.importNow(path, source)),
      onCleanupWorkerContext: undefined,
      onTaskUpdate: () => Promise.resolve(),
      onCollectStart: () => undefined,
      onCollected: (files: RunnerTestFile[]) => this.#choose(files),
      onAfterRunFiles: () => undefined,
      onBeforeRunTask: (task: RunnerTask) => this.#before(task),
      onAfterRunTask: (task: RunnerTestCase) => this.#after(task),
      runTask: (task: RunnerTestCase) => this.#inTime(task),
    };
    this.runner = Object.assign(Object.create(outer) as MutantRunner, own);
  }

  observed(): Observed {
    const tests = this.#tests.map(({ test: { name, result }, turns, sites }) => ({
      name,
      ms: result?.duration ?? 0,
      turns,
      sites,
    }));
    return { tests, onImport: this.#onImport, around: [...this.#around, ...asked.seen], turns: asked.turns };
  }

  #choose(files: readonly RunnerTestFile[]): void {
    this.#onImport = takeSeen();
    this.#tests = files.flatMap(testsIn).map((one) => ({ test: one, turns: 0, sites: [] }));
    const { tests } = this.#run;
    for (const [index, { test: one }] of this.#tests.entries())
      if (tests !== undefined && !tests.includes(index)) one.mode = "skip";
  }

  #before(task: RunnerTask): void {
    if (this.failed !== undefined) task.mode = "skip";
    this.#around.push(...takeSeen());
  }

  #after(task: RunnerTestCase): void {
    const row = this.#tests.find((one) => one.test === task);
    row?.sites.push(...takeSeen());
    if (task.result?.state === "fail") this.failed ??= task.name;
  }

  async #inTime(task: RunnerTestCase): Promise<void> {
    const index = this.#tests.findIndex((one) => one.test === task);
    const { ms, turns } = this.#job.patience[index] ?? LONG;
    const before = asked.turns;
    asked.limit = before + turns;
    try {
      await within(ms, TestRunner.getTestFn(task));
    } finally {
      const row = this.#tests[index];
      if (row !== undefined) row.turns = asked.turns - before;
      asked.limit = asked.turns + this.#job.turns;
    }
  }
}

/** Resolves as `work` does; rejects after `ms`. */
async function within(ms: number, work: () => unknown): Promise<unknown> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("a fault holds this up")), ms);
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

const isPlain = ({ mutant, tests }: Run) => mutant === 0 && tests === undefined;

/** A run without a fault of every test that `runs` ran. */
function controlOf(runs: readonly Run[]): Omit<Run, "mutant"> {
  const fresh = runs.some((run) => run.fresh);
  if (runs.some(({ tests }) => tests === undefined)) return { fresh };
  return { fresh, tests: [...new Set(runs.flatMap(({ tests }) => tests ?? []))] };
}

function takeSeen(): number[] {
  const seen = [...asked.seen];
  asked.seen.clear();
  return seen;
}

function testsIn(task: RunnerTask): RunnerTestCase[] {
  if (task.type === "test") return [task];
  return task.tasks.flatMap(testsIn);
}

/** The failure of a file or a suite outside its tests, for example in a hook. */
function failureOf(task: RunnerTask | undefined): string | undefined {
  if (task === undefined) return "nothing";
  if (task.result?.state === "fail") return task.result.errors?.[0]?.message ?? task.name;
  if (task.type !== "suite") return undefined;
  return task.tasks.map(failureOf).find((failure) => failure !== undefined);
}

/** Returns a function that restores the present value of `owner[name]`. */
function keeper(owner: object, name: string): () => void {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  return () => {
    if (own === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, own);
  };
}
