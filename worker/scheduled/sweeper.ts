import { isDatabaseUnavailable } from "../database/database-errors.ts";
import { inBatch } from "../database/statements.ts";
import { type RunContext, type SweepTask, sweepTasks } from "./sweep-tasks.ts";

/** Runs the tasks of one scheduled run in turns, so that a long one does not keep the others waiting. */

export interface Swept {
  /** Rows taken, by task; tasks that found nothing are not named. */
  readonly rows: Readonly<Record<string, number>>;
  /** Tasks that still have work for the next run. */
  readonly unfinished: readonly string[];
  readonly failures: readonly { readonly task: string; readonly error: unknown }[];
}

/** Sends at most `sweepStatementsPerRun` statements. */
export async function sweep(ctx: RunContext): Promise<Swept> {
  const rows: Record<string, number> = {};
  const failures: { task: string; error: unknown }[] = [];
  let budget = ctx.settings.limits.sweepStatementsPerRun;
  let open: readonly SweepTask[] = sweepTasks(ctx);
  while (open.length > 0) {
    const next: SweepTask[] = [];
    for (const task of open) {
      const cost = task.statements.length;
      if (cost > budget) return { rows, failures, unfinished: [...names(next), ...names(open, task)] };
      budget -= cost;
      try {
        const taken = await take(ctx, task);
        if (taken > 0) rows[task.name] = (rows[task.name] ?? 0) + taken;
        const isHeldUp = next.some(({ name }) => name === task.after);
        if (taken >= task.rows || isHeldUp) next.push(task);
      } catch (error) {
        failures.push({ task: task.name, error });
        // No other task will do better before the next run.
        if (isDatabaseUnavailable(error)) return { rows, failures, unfinished: names(open, task) };
      }
    }
    open = next;
  }
  return { rows, failures, unfinished: [] };
}

/** Names of `tasks`, starting at `first` where it is given. */
const names = (tasks: readonly SweepTask[], first?: SweepTask) =>
  tasks.slice(first === undefined ? 0 : tasks.indexOf(first)).map(({ name }) => name);

/** Runs one batch; returns how many rows its last statement took. */
async function take({ db }: RunContext, { statements }: SweepTask): Promise<number> {
  const { taken } = await inBatch(db, { taken: statements });
  const last = taken.at(-1) as readonly unknown[] | D1Result;
  return "meta" in last ? last.meta.changes : last.length;
}
