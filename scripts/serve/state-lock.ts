/** One service per database folder: the second is refused, and learns the port of the first. */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openFileLock } from "../build/file-lock.ts";
import { ROOT } from "../project-files.ts";
import { databaseFailureOf } from "./database-failure.ts";
import { openStateDir } from "./state-dir.ts";

/** Another service uses the database; its port, unless it has none yet. */
export class StateDirInUse extends Error {
  override readonly name = "StateDirInUse";
  readonly port: number | undefined;
  constructor(port: number | undefined) {
    super("another service uses this database");
    this.port = port;
  }
}

export interface StateLock {
  /** Writes the port that refused services name. */
  writePort(port: number): void;
}

/**
 * Holds `stateDir` until this process ends, however it ends. `port` is the one asked for: 0 is unknown yet. Throws
 * {@link StateDirInUse}, and what openStateDir throws.
 */
export function lockStateDir(stateDir: string, port: number): StateLock {
  openStateDir(stateDir);
  const folder = resolve(ROOT, stateDir);
  const portFile = join(folder, "service-port");
  const writePort = (value: number) => writeFileSync(portFile, value === 0 ? "" : String(value));
  try {
    const lock = openFileLock(join(folder, "service.sqlite"));
    if (!lock.tryToHold()) {
      lock.close();
      throw new StateDirInUse(readPort(portFile));
    }
    writePort(port);
    // The exit keeps the lock referenced: a collected one would be closed.
    process.once("exit", () => lock.close());
    return { writePort };
  } catch (error) {
    throw databaseFailureOf(error) ?? error;
  }
}

function readPort(path: string): number | undefined {
  try {
    return Number(readFileSync(path, "utf8")) || undefined;
  } catch {
    // The other one holds the folder and has not written it yet.
    return undefined;
  }
}
