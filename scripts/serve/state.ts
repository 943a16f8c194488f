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

/** Why the disk or the database stops a start. */
type DatabaseFailureCode = "disk_full" | "disk_failed" | "database_damaged";

/** The database in its folder cannot be used. */
export class DatabaseFailure extends Error {
  override readonly name = "DatabaseFailure";
  readonly code: DatabaseFailureCode;
  constructor(code: DatabaseFailureCode, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/** What SQLite, its codes and Node write. The first that matches decides: a full disk often shows as several errors. */
const SIGNS: readonly (readonly [RegExp, DatabaseFailureCode])[] = [
  [/SQLITE_FULL|SQLITE_IOERR_SHMSIZE|database or disk is full|\bENOSPC\b|\bEDQUOT\b/, "disk_full"],
  [/SQLITE_CORRUPT|SQLITE_NOTADB|disk image is malformed|file is not a database/, "database_damaged"],
  [
    /SQLITE_IOERR|SQLITE_CANTOPEN|disk I\/O error|unable to open database file|\bEIO\b|\bEROFS\b/,
    "disk_failed",
  ],
];

/** The failure that `error`, its causes or the runtime's own `lines` show. The runtime hides SQLite's errors from callers. */
export function databaseFailureOf(
  error: unknown,
  lines: readonly string[] = [],
): DatabaseFailure | undefined {
  const text = [...lines, ...messagesOf(error)].join("\n");
  const code = SIGNS.find(([sign]) => sign.test(text))?.[1];
  return code === undefined ? undefined : new DatabaseFailure(code, { cause: error });
}

const messagesOf = (error: unknown): readonly string[] =>
  error instanceof Error ? [error.message, ...messagesOf(error.cause)] : [];

/** Where the database is, unless STATE_DIR names another folder. An empty STATE_DIR counts as absent. */
export const STATE_DIR = process.env.STATE_DIR || ".wrangler/state";

/** A folder the database cannot be kept in. */
export class StateDirUnwritable extends Error {
  override readonly name = "StateDirUnwritable";
}

/**
 * Where wrangler would keep it below `stateDir`, made where it is missing. Throws {@link StateDirUnwritable}, or
 * DatabaseFailure where the disk is the reason.
 */
export function openStateDir(stateDir: string): string {
  const folder = resolve(ROOT, stateDir, "v3");
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch (cause) {
    throw databaseFailureOf(cause) ?? new StateDirUnwritable(stateDir, { cause });
  }
}

/** One service per database folder: the second is refused, and learns the port of the first. */

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
