import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../project-files.ts";

/** Services that run on this machine from this folder: the operator's commands work on the database of the one that runs. */

export interface Running {
  readonly pid: number;
  readonly port: number;
  /** Absolute. */
  readonly stateDir: string;
}

const FOLDER = join(ROOT, ".wrangler/running");

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
