import { readFileSync } from "node:fs";
import { cpus, platform } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds watched. */
const WATCH = 3_000;
/** The most that other programs may take of all cores. */
const MOST = 0.08;

/** The share of all cores' time that was used while nothing of ours ran: 0 to 1. */
async function shareUsed(): Promise<number> {
  const before = times();
  await sleep(WATCH);
  const after = times();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function times() {
  const each = cpus().map((cpu) => cpu.times);
  const idle = each.reduce((sum, time) => sum + time.idle, 0);
  const all = each.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle);
  return { idle, all };
}

/**
 * Ends the program where others keep the machine busy, since a figure in milliseconds would be theirs too. `--busy` on the
 * command line measures all the same, and says so.
 */
export async function requireQuiet(): Promise<void> {
  const used = await shareUsed();
  if (used <= MOST) return;
  const share = `${Math.round(used * 100)} % of this machine is in use by other programs`;
  if (process.argv.includes("--busy")) console.log(`${share}: these figures are not the service's alone.`);
  else {
    console.error(`${share}. Measure on a quiet one, or add --busy.`);
    process.exit(2);
  }
}

/** Linux's round robin, in the 41st field of `/proc/self/stat` (sched(7)). */
const ROUND_ROBIN = "2";

/**
 * Ends the program where it has no priority over others: on two cores a page, the browser's tracing and Lighthouse wait for
 * each other. `--busy` as above.
 */
export function requirePriority(command: string): void {
  if (platform() !== "linux" || process.argv.includes("--busy")) return;
  const [, fields = ""] = readFileSync("/proc/self/stat", "utf8").split(") ");
  if (fields.split(" ")[38] === ROUND_ROBIN) return;
  console.error(`Without priority these figures are too high: chrt --rr 1 ${command}, or add --busy.`);
  process.exit(2);
}
