/** One process at a time: SQLite holds the file, and lets go of it when its process ends, however it ends. */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds between two tries. */
const PATIENCE = 100;
/** SQLite's result code SQLITE_BUSY. */
const BUSY = 5;

/** Runs `work` once nobody else holds `path`, a file. */
export async function oneAtATime<T>(path: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  const lock = new DatabaseSync(path);
  try {
    while (!isTaken(lock)) await sleep(PATIENCE);
    return await work();
  } finally {
    lock.close();
  }
}

function isTaken(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== BUSY) throw error;
    return false;
  }
}
