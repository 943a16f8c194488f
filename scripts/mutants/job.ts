/** What the main process and a test file's worker say to each other. */

/** One time through a test file. */
export interface Run {
  /** The fault to wake; 0 for none. */
  readonly mutant: number;
  /** By their place in the file; absent where all are to run. */
  readonly tests?: readonly number[];
  /** All modules are evaluated anew: the fault takes part in what happens on import. */
  readonly fresh: boolean;
  /** Two controls come before it and one after it. */
  readonly alone?: boolean;
}

export interface Job {
  readonly runs: readonly Run[];
  /** For each test, by its place in the file. */
  readonly patience: readonly Patience[];
  /** For what runs before, between and after tests. */
  readonly turns: number;
}

/** What a test may take: ms, and turns of all loops together with calls of all functions. */
export interface Patience {
  readonly ms: number;
  readonly turns: number;
}

/** What ran without a fault saw. */
export interface Observed {
  readonly tests: readonly {
    readonly name: string;
    readonly ms: number;
    readonly turns: number;
    readonly sites: readonly number[];
  }[];
  /** Sites executed while the file was imported, and by what runs before or after all of its tests. */
  readonly onImport: readonly number[];
  readonly around: readonly number[];
  readonly turns: number;
}

export interface Outcome {
  readonly mutant: number;
  /** The test that failed, or what else did; undefined where all passed. */
  readonly failed: string | undefined;
  readonly ms: number;
  /** Set where every test ran without a fault. */
  readonly observed?: Observed;
}

/** The run with this fault begins. */
export interface Began {
  readonly began: number;
}

/** The tests of this fault's run fail without it, too: they lean on others, or on a world that is new. It was not run. */
export interface Unfit {
  readonly unfit: number;
  readonly failed: string;
}

/** In the order of what happens: a run that began and has no outcome ended its runtime. */
export type Told = Began | Outcome | Unfit;

/** Marks the messages of a worker among the annotations of tests. */
export const SAID = "mutants";

declare module "vitest" {
  interface ProvidedContext {
    /** By test file. */
    mutantJobs: Readonly<Record<string, Job>>;
  }
}
