import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { openFileLock } from "../build/one-at-a-time.ts";
import { ROOT } from "../project-files.ts";
import { STATE_DIR, StartFailure } from "./start-failure.ts";

/** The services that run on this machine from this folder, a file for each. */
const FOLDER = join(ROOT, ".wrangler/running");

/**
 * Where wrangler would keep it below `stateDir`, made where it is missing. Throws {@link StartFailure}.
 */
export function openStateDir(stateDir: string): string {
  const folder = resolve(ROOT, stateDir, "v3");
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch (cause) {
    throw new StartFailure(unwritable, { cause });
  }
}

const unwritable = (command: string) =>
  `The database cannot be kept in ${STATE_DIR}: the folder is not writable. ` +
  `Choose another: STATE_DIR=.wrangler/state-2 ${command}`;

/** One service per database folder: the second is refused, and learns the port of the first, unless it has none yet. */
const inUse = (port: number | undefined) =>
  new StartFailure(
    (command) =>
      `Another service ${port === undefined ? "is starting" : `runs on port ${port}`} with the database in ${STATE_DIR}. ` +
      `Stop it, or choose another port and folder: PORT=8788 STATE_DIR=.wrangler/state-2 ${command}`,
  );

/** Holds `stateDir` until this process ends, however it ends. Throws {@link StartFailure}. */
export function lockStateDir(stateDir: string, running = FOLDER): void {
  openStateDir(stateDir);
  const folder = resolve(ROOT, stateDir);
  const lock = openFileLock(join(folder, "service.sqlite"));
  if (!lock.tryToHold()) {
    lock.close();
    throw inUse(runningServices(running).find((service) => service.stateDir === folder)?.port);
  }
  // The exit keeps the lock referenced: a collected one would be closed.
  process.once("exit", () => lock.close());
}

/** Services that run on this machine from this folder: the operator's commands work on the database of the one that runs. */

export interface Running {
  readonly pid: number;
  readonly port: number;
  /** Absolute. */
  readonly stateDir: string;
}

/** Lists this process until it ends. */
export function announce(service: Omit<Running, "pid">, folder = FOLDER): void {
  const path = join(folder, `${process.pid}.json`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, JSON.stringify({ pid: process.pid, ...service }));
  process.once("exit", () => rmSync(path, { force: true }));
}

export function runningServices(folder = FOLDER): readonly Running[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    try {
      const service = JSON.parse(readFileSync(join(folder, name), "utf8")) as Running;
      return isAlive(service.pid) ? [service] : [];
    } catch {
      // It starts or ends at this moment.
      return [];
    }
  });
}

/** A process that was killed could not take itself off the list. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
