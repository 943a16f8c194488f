import { PHASES, type Phase, type RunRecord } from "../../../sdk/index.ts";

/** Columns of the table: `pick` is the person's time at the chooser, before the first phase. */
export const COLUMNS = ["pick", ...PHASES] as const;
export type Column = (typeof COLUMNS)[number];

/** Whole milliseconds by column; a column that a run did not have is absent. */
export type Timings = Partial<Record<Column, number>>;

export function timingsOf(run: RunRecord): Timings {
  const chosenAt =
    run.operation === "pick" ? run.phases.find(({ phase }) => phase === "connect")?.at : undefined;
  const phases = run.phases.map(({ phase, duration }): [Phase, number] => [phase, Math.round(duration)]);
  return { ...(chosenAt === undefined ? {} : { pick: Math.round(chosenAt) }), ...Object.fromEntries(phases) };
}

/**
 * The median of each column over the successful runs; waiting people and failures would hide the tag's own
 * times.
 */
export function medians(runs: readonly RunRecord[]): Timings {
  const well = runs.filter(({ outcome }) => outcome === "ok").map(timingsOf);
  const entries = COLUMNS.flatMap((column): [Column, number][] => {
    const values = well.flatMap((timings) => timings[column] ?? []).sort((a, b) => a - b);
    const middle = values[Math.floor((values.length - 1) / 2)];
    return middle === undefined ? [] : [[column, middle]];
  });
  return Object.fromEntries(entries);
}
