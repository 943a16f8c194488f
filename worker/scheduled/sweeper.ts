import { inBatch } from "../database/batch.ts";
import { isDatabaseUnavailable } from "../database/database-errors.ts";
import { partEnds, type RunContext } from "../run-context.ts";
import { erasureTasks } from "./erasure.ts";
import { type SweepTask, sweepTasks } from "./sweep-tasks.ts";

/**
 * Runs the tasks of one scheduled run until nothing is left or their budget is used up: in turns, so that a
 * long one does not keep the others waiting.
 */

export interface Swept {
  /** Rows taken, by task; tasks that found nothing are not named. */
  readonly rows: Readonly<Record<string, number>>;
  /** Tasks that still have work for the next run. */
  readonly unfinished: readonly string[];
  readonly failures: readonly { readonly task: string; readonly error: unknown }[];
}

/** Personal data first, on a budget of its own; then everything else. */
export async function sweep(ctx: RunContext): Promise<Swept> {
  const { erasureStatementsPerRun, sweepStatementsPerRun } = ctx.settings.limits;
  const erased = await inTurns(ctx, erasureTasks(ctx), erasureStatementsPerRun);
  // No other task will do better before the next run.
  if (erased.failures.some(({ error }) => isDatabaseUnavailable(error))) return erased;
  const others = await inTurns(ctx, sweepTasks(ctx), sweepStatementsPerRun);
  return {
    rows: { ...erased.rows, ...others.rows },
    unfinished: [...erased.unfinished, ...others.unfinished],
    failures: [...erased.failures, ...others.failures],
  };
}

/** Sends at most `statements` of the tasks, in turns, and none once the time of this part ({@link partEnds}) is over. */
async function inTurns(ctx: RunContext, tasks: readonly SweepTask[], statements: number): Promise<Swept> {
  const rows: Record<string, number> = {};
  const failures: { task: string; error: unknown }[] = [];
  const isOver = partEnds(ctx);
  let budget = statements;
  let open = tasks;
  while (open.length > 0) {
    const next: SweepTask[] = [];
    for (const task of open) {
      const cost = task.statements.length;
      if (cost > budget || isOver())
        return { rows, failures, unfinished: [...names(next), ...names(open, task)] };
      budget -= cost;
      try {
        const taken = await take(ctx, task);
        if (taken > 0) rows[task.name] = (rows[task.name] ?? 0) + taken;
        const isBlocked = next.some(({ name }) => name === task.after);
        if (taken >= task.rows || isBlocked) next.push(task);
      } catch (error) {
        failures.push({ task: task.name, error });
        if (isDatabaseUnavailable(error)) return { rows, failures, unfinished: names(open, task) };
      }
    }
    open = next;
  }
  return { rows, failures, unfinished: [] };
}

/** Names of `tasks`, starting at `first` where it is present. */
const names = (tasks: readonly SweepTask[], first?: SweepTask) =>
  tasks.slice(first === undefined ? 0 : tasks.indexOf(first)).map(({ name }) => name);

/** Runs one batch; returns how many rows its last statement took. */
async function take({ db }: RunContext, { statements }: SweepTask): Promise<number> {
  const { taken } = await inBatch(db, { taken: statements });
  const last = taken.at(-1) as readonly unknown[] | D1Result;
  return "meta" in last ? last.meta.changes : last.length;
}
