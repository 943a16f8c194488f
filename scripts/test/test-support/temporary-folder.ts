import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** The path of a folder of a test file's own, which ends with the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
