import { readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { ROOT } from "../project-files.ts";

/** Modules that a file imports as values; what is imported as a type alone leaves no trace when it runs. */
const IMPORTS = /^(?:import|export)\s(?!type\s)[^;"]*?"(\.[^"]+)"|import\("(\.[^"]+)"\)/gm;
const TEST = /\.test\.tsx?$/;

/** Paths from the root of what the text of the file at `path` imports. */
export const importsOf = (path: string, text: string): readonly string[] =>
  [...text.matchAll(IMPORTS)].map(([, still, lazy]) => posix.join(dirname(path), still ?? lazy ?? ""));

/** Who imports each of `files`. */
export function importersAmong(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const file of files)
    for (const imported of importsOf(file, readFileSync(join(ROOT, file), "utf8")))
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
  return importers;
}

/**
 * The tests that `changed` leads to by the fewest imports, `limit` or some more of them. Tests as near as each other all
 * come, but beyond the limit only those in the folder of a change: through the service as a whole, any rule leads to every
 * test of the service.
 */
export function nearestTests(
  changed: readonly string[],
  importers: ReadonlyMap<string, readonly string[]>,
  limit: number,
): readonly string[] {
  const folders = new Set(changed.map((path) => dirname(path)));
  const seen = new Set(changed);
  const found: string[] = [];
  for (let level = [...seen]; level.length > 0; ) {
    const tests = level.filter((path) => TEST.test(path));
    const isFull = found.length + tests.length > limit;
    found.push(...(isFull ? tests.filter((path) => folders.has(dirname(path))) : tests));
    level = level.flatMap((path) => importers.get(path) ?? []).filter((path) => !seen.has(path));
    level = [...new Set(level)];
    for (const path of level) seen.add(path);
  }
  return found;
}
