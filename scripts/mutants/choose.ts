/** The faults of this run. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFiles, ROOT } from "../project-files.ts";
import { type Area, areaOf, type BenchName } from "./areas.ts";
import type { Mutant } from "./compile.ts";
import type { Equivalent } from "./equivalent.ts";
import { EQUIVALENTS } from "./equivalents.ts";
import { sampled } from "./sample.ts";
import { type Site, sitesOf } from "./sites.ts";

export const PER_FILE = 25;

export interface Chosen {
  readonly path: string;
  readonly area: Area;
  readonly mutants: readonly Mutant[];
}

/** The files to test: all of them, or those of the named areas and folders. */
export function chosenFiles(parts: readonly string[]): { path: string; area: Area }[] {
  return projectFiles("{core,worker,sdk}/**/*.ts").flatMap((path) => {
    const area = isTested(path) ? areaOf(path) : undefined;
    const isNamed = parts.length === 0 || parts.some((part) => path.startsWith(part) || area?.name === part);
    return area !== undefined && isNamed ? [{ path, area }] : [];
  });
}

const isTested = (path: string) => !/\.test(-support)?\.ts$|\.d\.ts$|\/test-support|\/vectors\//.test(path);

export interface Choice {
  readonly seed: string;
  readonly perFile: number;
  /** Chooses from these alone: each a file's path and the key of a fault. */
  readonly among?: ReadonlySet<string>;
}

/** So many faults of each file, numbered from 1 within each bench. Files without any are left out. */
export function choose(
  files: readonly { path: string; area: Area }[],
  { seed, perFile, among }: Choice,
): Chosen[] {
  const last = new Map<BenchName, number>();
  return files.flatMap(({ path, area }) => {
    const sites = withoutEquivalents(
      sitesOf(path, readFileSync(join(ROOT, path), "utf8")),
      EQUIVALENTS,
    ).filter((site) => among === undefined || among.has(`${path}\n${keyOf(site)}`));
    const mutants = sampled(sites, perFile, `${seed} ${path}`).map((site) => {
      const id = (last.get(area.bench) ?? 0) + 1;
      last.set(area.bench, id);
      return { ...site, id, path };
    });
    return mutants.length === 0 ? [] : [{ path, area, mutants }];
  });
}

export function withoutEquivalents(sites: readonly Site[], equivalents: readonly Equivalent[]): Site[] {
  const known = new Set(equivalents.map(keyOf));
  return sites.filter((site) => !known.has(keyOf(site)));
}

export const keyOf = ({ original, mutated }: { original: string; mutated: string }) =>
  `${original}\n${mutated}`;
