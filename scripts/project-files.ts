import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder, with a separator at the end. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The text of a file at `path`, from the root. */
export const projectText = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Files of the page that the build makes beside its own; Vite copies this folder. */
export const PUBLIC = join(ROOT, "web", "public");

/** Writes a file at `path` of {@link PUBLIC}. */
export function writePublic(path: string, content: string | Uint8Array): void {
  const file = join(PUBLIC, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Files matching any of the globs, as paths from the root with "/" between folders, sorted. */
export function projectFiles(...globs: string[]): string[] {
  return globSync(globs, {
    cwd: ROOT,
    exclude: (name) => /(?:^|[\\/])(?:node_modules|dist)$/.test(String(name)),
  })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => statSync(join(ROOT, path)).isFile())
    .sort();
}

/** Every file that git knows, by its path from the root. */
export const committedFiles = (): readonly string[] =>
  execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" }).split("\0").filter(Boolean);

/** One hash over names and contents. */
export function hashFiles(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths)
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update("\0");
  return hash.digest("hex");
}
