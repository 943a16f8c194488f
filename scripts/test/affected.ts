import { basename, dirname, posix } from "node:path";
import { readSource } from "./import-reader.ts";

/** A test file that a change can affect. */
export interface Affected {
  readonly path: string;
  /** Imports between it and what changed; 0 is a changed test. */
  readonly distance: number;
}

/**
 * The test files among `sources` (path from the root, "/" between folders → text) that reach one of `changed` by their
 * imports, nearest first: what changed itself, the tests named after it, then by distance. A file that is no source is
 * reached by whoever has its name in his text: such files are read, not imported.
 */
export function affectedTests(sources: ReadonlyMap<string, string>, changed: readonly string[]): Affected[] {
  const importers = importersIn(sources, changed);
  const distances = new Map(changed.map((path) => [path, 0]));
  for (const [path, distance] of distances) {
    for (const importer of importers.get(path) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  return [...distances]
    .filter(([path]) => isTestFile(path) && sources.has(path))
    .map(([path, distance]) => ({ path, distance }))
    .sort((a, b) => rank(a, changed) - rank(b, changed) || a.path.localeCompare(b.path));
}

const isTestFile = (path: string) => /\.test\.tsx?$/.test(path);

/** Importers of each file, and files that name a changed non-source. Type imports do not count. */
function importersIn(sources: ReadonlyMap<string, string>, changed: readonly string[]) {
  const importers = new Map<string, string[]>();
  const add = (path: string, importer: string) =>
    importers.set(path, [...(importers.get(path) ?? []), importer]);
  const named = changed.filter((path) => !sources.has(path));
  for (const [path, text] of sources) {
    for (const { specifier, kind } of readSource(path, text).references) {
      if (kind !== "type" && specifier?.startsWith(".") === true) add(targetOf(path, specifier), path);
    }
    for (const one of named) if (text.includes(basename(one))) add(one, path);
  }
  return importers;
}

const targetOf = (path: string, specifier: string) =>
  posix.normalize(posix.join(dirname(path), specifier.replace(/\?.*$/, "")));

/** A test is its subject's own where it has its name: `refresh.test.ts` of `refresh.ts`. */
function rank({ path, distance }: Affected, changed: readonly string[]): number {
  const subject = path.replace(/(\.\w+)?\.test\.tsx?$/, "");
  const own = changed.some((one) => one.replace(/\.tsx?$/, "") === subject);
  return own ? Math.min(distance, 0.5) : distance;
}
