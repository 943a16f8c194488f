import { setTimeout as sleep } from "node:timers/promises";
import { openFileLock } from "./file-lock.ts";

/** Milliseconds between two tries. */
const PATIENCE = 100;

/** Runs `work` once no other process holds `path`, a file. */
export async function oneAtATime<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = openFileLock(path);
  try {
    while (!lock.tryToHold()) await sleep(PATIENCE);
    return await work();
  } finally {
    lock.close();
  }
}
