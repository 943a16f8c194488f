import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, platform } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright";
import { chromiumPath } from "../drivers/chromium.ts";

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

/**
 * Puts every Chromium that is started from now on before all other programs (sched(7), round robin), and nothing else: on two
 * cores a page, its service and Lighthouse wait for each other. The program that does so is written to `folder`. Ends this
 * program where that is not allowed. `--busy` as above.
 */
export function putChromiumFirst(folder: string): void {
  if (platform() !== "linux" || process.argv.includes("--busy")) return;
  try {
    execFileSync("chrt", ["--rr", "1", "true"], { stdio: "pipe" });
  } catch {
    console.error(
      "Without priority these figures are too high: let this user run `chrt --rr 1`, or add --busy.",
    );
    process.exit(2);
  }
  const program = join(folder, "chromium-first");
  const path = chromiumPath() ?? chromium.executablePath();
  writeFileSync(program, `#!/bin/sh\nexec chrt --rr 1 "${path}" "$@"\n`, { mode: 0o755 });
  process.env.CHROMIUM_PATH = program;
}
