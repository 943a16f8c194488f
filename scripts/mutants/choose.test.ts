import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ROOT } from "../project-files.ts";
import { choose, chosenFiles, keyOf, withoutEquivalents } from "./choose.ts";
import type { Equivalent } from "./equivalent.ts";
import { EQUIVALENTS } from "./equivalents.ts";
import { sampled } from "./sample.ts";
import { sitesOf } from "./sites.ts";

const CODE = `
import { a } from "a";
export function first(bytes: readonly number[], at: number): number {
  if (at > bytes.length || bytes[at] === undefined) throw new Error("out of range");
  if (length > 9) throw new Refusal("LENGTH", { message: "length", code: "long" });
  const { length } = bytes;
  log.info("text for people");
  return bytes[at] & 0x7f | length << 8;
}
`;

test("types, imports and words for people stay as they are", () => {
  const touched = sitesOf("a.ts", CODE).map(({ mutated }) => mutated);
  expect(
    touched.filter(
      (line) => /import|number\[\]|text for|out of range|message: ""/.test(line) && line.includes('""'),
    ),
  ).toEqual([]);
  expect(touched).toContain('if (length > 9) throw new Refusal("LENGTH", { message: "length", code: "" });');
  expect(touched).toContain(
    'if (at >= bytes.length || bytes[at] === undefined) throw new Error("out of range");',
  );
});

test("the same seed chooses the same faults, another seed others", () => {
  const sites = sitesOf("a.ts", CODE);
  const chosen = (seed: string) => sampled(sites, 6, seed).map(({ mutated }) => mutated);
  expect(chosen("1 a.ts")).toEqual(chosen("1 a.ts"));
  expect(chosen("2 a.ts")).not.toEqual(chosen("1 a.ts"));
});

test("a choice takes of every kind before it takes a second of one", () => {
  const sites = sitesOf("a.ts", CODE);
  const kinds = new Set(sites.map(({ kind }) => kind));
  expect(new Set(sampled(sites, kinds.size, "1").map(({ kind }) => kind))).toEqual(kinds);
});

test("all faults are taken where there are fewer than asked for", () => {
  const sites = sitesOf("a.ts", CODE);
  expect(new Set(sampled(sites, 1_000, "1"))).toEqual(new Set(sites));
});

test("a listed equivalent stays known when its file is moved and its lines with it", () => {
  const [site] = sitesOf("a.ts", CODE);
  if (site === undefined) throw new Error("no sites");
  const listed = { original: site.original, mutated: site.mutated, reason: "for the test" };
  const moved = sitesOf("core/b.ts", `\n\n// moved\n${CODE}`);
  const left = withoutEquivalents(moved, [listed]);
  expect(moved.length - left.length).toBe(1);
  expect(left.map(({ mutated }) => mutated)).not.toContain(site.mutated);
});

test("among faults of an earlier run only those are chosen, each in its own file", () => {
  const files = chosenFiles(["worker/guards/", "worker/tags/hints.ts"]);
  const every = choose(files, { seed: "1", perFile: Number.POSITIVE_INFINITY }).flatMap(
    ({ mutants }) => mutants,
  );
  const [first, last] = [every.at(0), every.at(-1)];
  if (first === undefined || last === undefined) throw new Error("no faults");
  const among = new Set([first, last].map((fault) => `${fault.path}\n${keyOf(fault)}`));
  const again = choose(files, { seed: "2", perFile: Number.POSITIVE_INFINITY, among });
  expect(again.map(({ path }) => path)).toEqual([first.path, last.path]);
  expect(again.flatMap(({ mutants }) => mutants).map(({ mutated }) => mutated)).toEqual([
    first.mutated,
    last.mutated,
  ]);
});

test("each equivalent on the list is a fault that some file can have", () => {
  const sources = chosenFiles([]).map(({ path }) => ({ path, text: readFileSync(ROOT + path, "utf8") }));
  const isKnown = (one: Equivalent) =>
    sources
      .filter(({ text }) => text.replace(/\s+/g, " ").includes(one.original))
      .some(({ path, text }) => sitesOf(path, text).some((site) => keyOf(site) === keyOf(one)));
  expect(EQUIVALENTS.filter((one) => !isKnown(one))).toEqual([]);
});
