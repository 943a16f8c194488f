/** What the benches have in common: goals, tables and medians. */
import type { ParseArgsConfig } from "node:util";

/** A figure with its goal. */
export interface Goal {
  readonly what: string;
  readonly goal: string;
  readonly figure: string;
  readonly met: boolean;
}

/** Option values of a command line: whole numbers from 1 of string options, else whether the option was there. */
export type Options = Readonly<Record<string, number | undefined>>;

export interface Bench {
  /** Options beside `--busy`; those of type string take a whole number. */
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  /** Whether it prints times that other programs would change. */
  readonly isTimed: boolean;
  /** Prints its tables, and resolves with what has a goal. */
  run(options: Options): Promise<readonly Goal[]>;
}

export const atMost = (what: string, figure: number, most: number, digits = 0): Goal => ({
  what,
  goal: `≤ ${most}`,
  figure: figure.toFixed(digits),
  met: figure <= most,
});

/** The middle of `values`, the upper one of two; NaN of none. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export function printTable(title: string, rows: readonly Readonly<Record<string, string | number>>[]): void {
  console.log(`\n${title}`);
  console.table(rows);
}

/** Prints the goals; returns whether each is met. */
export function printGoals(goals: readonly Goal[]): boolean {
  printTable(
    "Goals",
    goals.map(({ met, ...goal }) => ({ ...goal, met: met ? "yes" : "NO" })),
  );
  return goals.every(({ met }) => met);
}
