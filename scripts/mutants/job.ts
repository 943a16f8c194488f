/** What the main process and a test file's worker say to each other. */

/** One time through a test file. */
export interface Run {
  /** The fault to activate; 0 for none. */
  readonly mutant: number;
  /** By their place in the file; absent where all are to run. */
  readonly tests?: readonly number[];
  /** Evaluates all modules anew, because the fault is in code that runs on import. */
  readonly fresh: boolean;
}

export interface Job {
  readonly runs: readonly Run[];
  /** ms that each test may take, by its place in the file. */
  readonly patience: readonly number[];
  /** Turns that all loops of a run may take together. */
  readonly turns: number;
  /** Every so many runs one has no fault: what a fault leaves behind must not fail the next. */
  readonly controlEvery: number;
}

/** Result of the run without a fault. */
export interface Observed {
  readonly tests: readonly {
    readonly name: string;
    readonly ms: number;
    readonly sites: readonly number[];
  }[];
  /** Sites executed while the file was imported, and by what runs before or after all of its tests. */
  readonly onImport: readonly number[];
  readonly around: readonly number[];
  readonly turns: number;
}

export interface Outcome {
  readonly mutant: number;
  /** The test, or other step, that failed; undefined if all passed. */
  readonly failed: string | undefined;
  readonly ms: number;
  /** Set where every test ran without a fault. */
  readonly observed?: Observed;
}

/** Marks the messages of a worker among the annotations of tests. */
export const SAID = "mutants";

declare module "vitest" {
  interface ProvidedContext {
    /** By test file. */
    mutantJobs: Readonly<Record<string, Job>>;
  }
}
