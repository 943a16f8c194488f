import { accessSync, constants, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { ROOT } from "../project-files.ts";
import { databaseFailureOf } from "./database-failure.ts";

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
