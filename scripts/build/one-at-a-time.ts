import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

/** A lock of a file, held by SQLite: the system ends it with the process, however that ends, and never by a process id. */

/** SQLite's result code SQLITE_BUSY. */
const BUSY = 5;

export interface FileLock {
  /** False while another process, or another lock of this one, holds the file. */
  tryToHold(): boolean;
  close(): void;
}

/** Makes `path` where it is missing. */
export function openFileLock(path: string): FileLock {
  mkdirSync(dirname(path), { recursive: true });
  const file = new DatabaseSync(path);
  return {
    tryToHold() {
      try {
        file.exec("BEGIN EXCLUSIVE");
        return true;
      } catch (error) {
        if ((error as { errcode?: number }).errcode !== BUSY) throw error;
        return false;
      }
    },
    close: () => file.close(),
  };
}

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
