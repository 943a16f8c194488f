import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareState } from "../../serve/server.ts";

let prepared: Promise<string> | undefined;

/** A database of one's own in `stateDir`, migrated and seeded: made once for all files that one process tests, and copied. */
export async function copyPreparedState(stateDir: string): Promise<void> {
  prepared ??= prepare();
  cpSync(await prepared, stateDir, { recursive: true });
}

async function prepare(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-prepared-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await prepareState(folder);
  return folder;
}
