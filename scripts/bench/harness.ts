/** What the benches have in common: goals, tables and medians. */

/** A figure with its goal. */
export interface Goal {
  readonly what: string;
  readonly goal: string;
  readonly figure: string;
  readonly met: boolean;
}

/** What the command line says, for all benches together. */
export interface Options {
  readonly busy: boolean;
  readonly find: boolean;
  readonly capacity: boolean;
  readonly rounds: number | undefined;
  readonly crowd: number | undefined;
  readonly soak: number | undefined;
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

export function printTable(title: string, rows: readonly object[]): void {
  console.log(`\n${title}`);
  console.table(rows);
}
