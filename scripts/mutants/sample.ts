/** A choice of faults that anybody can repeat. */
import type { Site } from "./sites.ts";

/**
 * `count` of a file's sites, all where there are fewer; the same for the same seed, path and sites. Kinds take turns, and a
 * line comes again only when every other line of the kind has been.
 */
export function sampled<S extends Site>(sites: readonly S[], count: number, seed: string): S[] {
  const random = numbersOf(seed);
  const shuffled = sites.map((site) => ({ site, at: random() })).sort((a, b) => a.at - b.at);
  const kinds = new Map<string, S[]>();
  for (const { site } of shuffled) kinds.set(site.kind, [...(kinds.get(site.kind) ?? []), site]);
  const chosen: S[] = [];
  const lines = new Map<number, number>();
  while (chosen.length < Math.min(count, sites.length))
    for (const left of kinds.values()) {
      if (chosen.length === count) break;
      const next = leastSeen(left, lines);
      if (next === undefined) continue;
      left.splice(left.indexOf(next), 1);
      lines.set(next.line, (lines.get(next.line) ?? 0) + 1);
      chosen.push(next);
    }
  return chosen.sort((a, b) => a.start - b.start || b.end - a.end);
}

function leastSeen<S extends Site>(sites: readonly S[], lines: ReadonlyMap<number, number>): S | undefined {
  const seen = (site: S) => lines.get(site.line) ?? 0;
  return sites.reduce<S | undefined>(
    (best, site) => (best && seen(best) <= seen(site) ? best : site),
    undefined,
  );
}

/** Mulberry32 over a hash (FNV-1a) of the seed: numbers from 0 to 1. */
function numbersOf(seed: string): () => number {
  let state = 0x811c9dc5;
  for (const letter of seed) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
