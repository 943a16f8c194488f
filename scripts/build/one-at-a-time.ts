/** One process at a time, by a file that names the one inside. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE = 100;

/** Runs `work` once nobody else holds `path`, a file. A holder that died without releasing it is ignored. */
export async function oneAtATime<T>(path: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  while (!taken(path)) await sleep(PATIENCE);
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function taken(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (!isHeld(path)) rmSync(path, { force: true });
    return false;
  }
}

function isHeld(path: string): boolean {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    // Created, but the holder's number is not yet written.
    if (pid === 0) return true;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Released meanwhile, or the process is gone; one that we may not signal still runs.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
