import { dirname, posix } from "node:path";
import { BANS, BARRELS, type Ban, STRANGERS } from "./zone-bans.ts";
import { type Reference, readSource, type SourceFacts } from "./zone-source.ts";
import { DYNAMIC_ONLY, TEST_PACKAGES, ZONES, type Zone } from "./zones.ts";

/** Every breach of the import table in `sources` (path from the root, "/" between folders → text), as sentences. */
export function violations(sources: ReadonlyMap<string, string>): string[] {
  const facts = new Map([...sources].map(([path, text]) => [path, readSource(path, text)]));
  const graph = new Map<string, string[]>();
  const found: string[] = [];
  for (const [path, file] of facts) {
    found.push(...file.references.flatMap((reference) => checkReference(path, reference)));
    found.push(...BANS.flatMap((ban) => checkBan(path, file, ban)));
    if (file.barrel && !BARRELS.includes(path))
      found.push(`${path}: a barrel; import from the file that defines the thing`);
    graph.set(
      path,
      staticTargets(path, file).filter((target) => facts.has(target)),
    );
  }
  for (const [a, b] of STRANGERS) {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      if (reach(graph, from).has(to)) found.push(`${from}: reaches ${to}; the two never import each other`);
    }
  }
  return [...found, ...cycles(graph).map((cycle) => `${cycle[0]}: a cycle: ${cycle.join(" → ")}`)];
}

function checkReference(path: string, { specifier, kind }: Reference): string[] {
  if (specifier === undefined) return [`${path}: import() of a computed path`];
  const zone = zoneOf(path);
  if (!specifier.startsWith(".")) {
    return mayUsePackage(zone, path, specifier) ? [] : [`${path}: may not import the package ${specifier}`];
  }
  const target = resolve(path, specifier);
  const other = zoneOf(target);
  if (zone.path === other.path) return [];
  const lazy = DYNAMIC_ONLY.find(
    (rule) => rule.zone === other.path && rule.from.some((from) => path.startsWith(from)),
  );
  if (kind === "dynamic" && lazy !== undefined) return [];
  const allowed = [
    ...zone.may,
    ...(isTest(path) ? (zone.testMay ?? []) : []),
    ...(kind === "type" ? (zone.mayTypes ?? []) : []),
  ];
  return allowed.includes(other.path) ? [] : [`${path}: may not import ${target} (zone ${other.path})`];
}

function mayUsePackage(zone: Zone, path: string, specifier: string): boolean {
  const rows = [...zone.packages, ...(isTest(path) ? TEST_PACKAGES : [])];
  return rows.some((row) => (row.endsWith("*") ? specifier.startsWith(row.slice(0, -1)) : specifier === row));
}

function checkBan(path: string, file: SourceFacts, ban: Ban): string[] {
  if (!path.startsWith(ban.within) || ban.except.includes(path) || isTest(path)) return [];
  const hits = [...file.globals].filter((name) =>
    ban.globals.some((banned) => name === banned || name.startsWith(`${banned}.`)),
  );
  hits.push(...ban.members.filter((name) => file.members.has(name)));
  return hits.map((name) => `${path}: ${name}: ${ban.what}`);
}

/** The zone with the longest matching prefix. */
export function zoneOf(path: string): Zone {
  const matching = ZONES.filter((zone) => path.startsWith(zone.path));
  return matching.reduce((best, zone) => (zone.path.length > best.path.length ? zone : best));
}

export function isTest(path: string): boolean {
  return /(\.(test|spec)\.tsx?$)|(\btest-support\b)/.test(path);
}

function resolve(from: string, specifier: string): string {
  return posix.normalize(posix.join(dirname(from), specifier.replace(/\?.*$/, "")));
}

function staticTargets(path: string, file: SourceFacts): string[] {
  return file.references.flatMap(({ specifier, kind }) =>
    specifier?.startsWith(".") === true && kind !== "dynamic" ? [resolve(path, specifier)] : [],
  );
}

function reach(graph: ReadonlyMap<string, readonly string[]>, from: string): Set<string> {
  const seen = new Set<string>();
  const open = [from];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const next of graph.get(path) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return seen;
}

/** One cycle per back edge of a depth-first walk. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) found.push([...trail.slice(at), path]);
    if (at >= 0 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}
