import type { Outcome, Run, Told } from "./job.ts";

export interface Judgement {
  /** What failed with each fault that something saw, by its number. */
  readonly killed: ReadonlyMap<number, string>;
  /** What is to run once more, or for the first time, in the order to begin them. */
  readonly left: readonly Run[];
  /** Why, in words. */
  readonly doubts: readonly string[];
}

/**
 * What is to be believed of what a test file's runs told. Believed is what came before a control that passed. What came before one
 * that failed comes again, each between controls of its own: a first run that passed is believed, and so is one that failed where the
 * same tests had passed twice before it. Tests that fail without a fault kill none. A run that ended its runtime comes again as
 * the first; the first that does so is killed.
 */
export function judge(runs: readonly Run[], told: readonly Told[]): Judgement {
  const killed = new Map<number, string>();
  const left = new Map(runs.map((run) => [run.mutant, run]));
  const doubts: string[] = [];
  let since: Outcome[] = [];
  let running: number | undefined;
  const believe = (some: readonly Outcome[]) => {
    for (const { mutant, failed } of some) {
      left.delete(mutant);
      if (failed !== undefined) killed.set(mutant, failed);
    }
  };
  const doubt = (why: string) => {
    const [first] = since;
    if (first === undefined) return;
    if (first.failed === undefined || left.get(first.mutant)?.alone === true) believe([first]);
    for (const { mutant } of since) {
      const run = left.get(mutant);
      if (run !== undefined) left.set(mutant, { ...run, alone: true });
    }
    doubts.push(`after ${namesOf(since)} ${why}`);
  };
  for (const one of told) {
    running = "began" in one ? one.began : undefined;
    if ("began" in one) continue;
    if ("unfit" in one) {
      left.delete(one.unfit);
      doubts.push(`the tests of fault ${one.unfit} fail without it: ${one.failed}`);
      continue;
    }
    if (one.mutant !== 0) {
      since.push(one);
      continue;
    }
    if (one.failed === undefined) believe(since);
    else doubt(`fails without a fault: ${one.failed}`);
    since = [];
  }
  if (running === 0) doubt("its runtime ends without a fault");
  else if (running !== undefined && since.length === 0) {
    left.delete(running);
    killed.set(running, "its runtime ended");
    doubts.push(`fault ${running} ended its runtime`);
  } else if (running !== undefined) {
    doubt(`fault ${running} ended its runtime`);
    return { killed, left: inFront(running, left), doubts };
  }
  return { killed, left: [...left.values()], doubts };
}

const namesOf = (outcomes: readonly Outcome[]) =>
  `fault${outcomes.length > 1 ? "s" : ""} ${outcomes.map(({ mutant }) => mutant).join(", ")}`;

function inFront(mutant: number, left: ReadonlyMap<number, Run>): Run[] {
  const all = [...left.values()];
  return [...all.filter((run) => run.mutant === mutant), ...all.filter((run) => run.mutant !== mutant)];
}
