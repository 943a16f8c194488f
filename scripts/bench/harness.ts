/** What the benches have in common: goals, tables, medians, and a machine that is idle. */
import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
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

/** A plain table that survives being pasted anywhere. */
export function printTable(title: string, rows: readonly Readonly<Record<string, string | number>>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [columns, ...rows.map((row) => columns.map((column) => String(row[column])))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  console.log([`\n${title}`, ...text].join("\n"));
}

/** Prints the goals; returns whether each is met. */
export function printGoals(goals: readonly Goal[]): boolean {
  const rows = goals.map(({ what, goal, figure, met }) => ({ what, goal, figure, met: met ? "yes" : "NO" }));
  if (rows.length > 0) printTable("Goals", rows);
  return goals.every(({ met }) => met);
}

/** Milliseconds watched, and the most that other programs may take of all cores. */
const WATCH = 3_000;
const MOST = 0.08;

/** The share of all cores' time that others use: 0 to 1. */
export async function shareUsed(): Promise<number> {
  const before = times();
  await sleep(WATCH);
  const after = times();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

export const isQuiet = (share: number): boolean => share <= MOST;

function times() {
  const each = cpus().map((cpu) => cpu.times);
  const idle = sum(each.map((time) => time.idle));
  return { idle, all: idle + sum(each.map(({ user, nice, sys, irq }) => user + nice + sys + irq)) };
}
