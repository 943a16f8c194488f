import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder, with a "/" at the end. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Paths from the root of all files that are, or could be, committed: what the ignore list lets through. */
export function projectFiles(pattern: RegExp): string[] {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 16 * 1024 * 1024,
  });
  return list.split("\0").filter((path) => path !== "" && pattern.test(path) && existsSync(join(ROOT, path)));
}
