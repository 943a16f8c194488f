import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestProjectInlineConfiguration } from "vitest/config";
import { ROOT } from "../project-files.ts";
import { openBench } from "./bench.ts";
import type { Mutant } from "./compile.ts";
import { sitesOf } from "./sites.ts";
import { tryAll, type Verdict } from "./trials.ts";

const CODE = {
  "adult.ts": [
    "export const isAdult = (age: number): boolean => age >= 18;",
    "export const ages = (): number[] => [17, 40];",
    "export const OLDEST = 122;",
  ].join("\n"),
  "sum.ts": [
    "const START = 0;",
    "export function sum(numbers: readonly number[]): number {",
    "  let total = START;",
    "  for (let i = 0; i < numbers.length; i++) total += numbers[i] ?? 0;",
    "  return total;",
    "}",
    "export const unused = (text: string) => text.trim();",
  ].join("\n"),
  "countdown.ts": `export const countdown = async (left: number): Promise<string> =>
    left === 0 ? "lift-off" : Promise.resolve(left - 1).then(countdown);\n`,
  "story.ts": "export const told = (text: string): string => text.trim();",
  "story.test.ts": `import { expect, test } from "vitest"; import { told } from "./story.ts";
    let world; test("begins", () => { world = "once"; });
    test("goes on", () => expect(told(world)).toBe("once"));`,
  "adult.test.ts": `import { beforeAll, expect, test } from "vitest"; import { ages, isAdult, OLDEST } from "./adult.ts";
    let all; beforeAll(() => { all = ages(); });
    test("looked at", () => expect(OLDEST).toBe(122));
    test("made before", () => expect(all).toEqual([17, 40]));
    test("weak", () => { expect(isAdult(40)).toBe(true); expect(isAdult(3)).toBe(false); });`,
  "sum.test.ts": `import { expect, test } from "vitest"; import { sum } from "./sum.ts";
    test("of three", () => expect(sum([1, 2, 4])).toBe(7));
    test("of none", () => expect(sum([])).toBe(0));`,
  "countdown.test.ts": `import { expect, test } from "vitest"; import { countdown } from "./countdown.ts";
    test("from three", async () => expect(await countdown(3)).toBe("lift-off"));`,
};

/** workerd lacks most of Node: threads, signals, a process of its own. */
const RUNTIMES: Readonly<Record<string, TestProjectInlineConfiguration>> = {
  node: { test: { name: "node", include: ["*.test.ts"], environment: "node" } },
  workerd: {
    plugins: [cloudflareTest({ miniflare: { compatibilityDate: "2026-11-02" } })],
    test: { name: "workerd", include: ["*.test.ts"] },
  },
};

let root: string;
/** By runtime, then by what the fault makes of its line. */
const verdicts = new Map<string, Map<string, Verdict>>();

beforeAll(async () => {
  mkdirSync(join(ROOT, "test-results"), { recursive: true });
  root = `${mkdtempSync(join(ROOT, "test-results", "planted-"))}/`;
  for (const [path, text] of Object.entries(CODE)) writeFileSync(root + path, text);
  const sites = (["adult.ts", "countdown.ts", "story.ts", "sum.ts"] as const).flatMap((path) =>
    sitesOf(path, CODE[path]).map((site) => ({ ...site, path })),
  );
  const mutants: Mutant[] = sites.map((site, index) => ({ ...site, id: index + 1 }));
  for (const [runtime, project] of Object.entries(RUNTIMES)) {
    const bench = await openBench({ projects: [project], tests: [""], mutants, root });
    const tried = await tryAll(bench, mutants, () => undefined);
    verdicts.set(runtime, new Map([...tried].map(([{ mutated }, verdict]) => [mutated, verdict])));
    await bench.close();
  }
});

afterAll(() => rmSync(root, { recursive: true }));

describe.each(Object.keys(RUNTIMES))("in %s", (runtime) => {
  const verdictOn = (mutated: string) => verdicts.get(runtime)?.get(mutated);

  test("a weak test lets a moved bound live", () => {
    const mutated = "export const isAdult = (age: number): boolean => age > 18;";
    expect(verdictOn(mutated)).toEqual({ state: "survived", tests: 1 });
  });

  test("the same test sees the comparison turned round", () => {
    const mutated = "export const isAdult = (age: number): boolean => age < 18;";
    expect(verdictOn(mutated)).toEqual({ state: "killed", by: "adult.test.ts: weak" });
  });

  test("what is evaluated on import is evaluated with its fault", () => {
    expect(verdictOn("const START = 1;")).toEqual({
      state: "killed",
      by: "sum.test.ts: of three",
    });
  });

  test("what runs before the tests is seen by one that executes nothing of its file", () => {
    expect(verdictOn("export const ages = (): number[] => [18, 40];")).toEqual({
      ...{ state: "killed", by: "adult.test.ts: made before" },
    });
  });

  test("a constant is seen by a test that executes nothing of its file", () => {
    expect(verdictOn("export const OLDEST = 123;")).toEqual({
      ...{ state: "killed", by: "adult.test.ts: looked at" },
    });
  });

  test("a loop that no longer ends is seen", () => {
    const mutated = "for (let i = 0; i < numbers.length; i--) total += numbers[i] ?? 0;";
    expect(verdictOn(mutated)).toEqual({ state: "killed", by: "sum.test.ts: of three" });
  });

  test("what leaves nobody else a turn is seen", () => {
    const mutated = 'left === 0 ? "lift-off" : Promise.resolve(left + 1).then(countdown);';
    expect(verdictOn(mutated)).toEqual({
      state: "killed",
      by: "countdown.test.ts: from three",
    });
  });

  test("a test that fails by itself, without what another has done before it, sees nothing", () => {
    expect(verdictOn("export const told = (text: string): string => text;")).toEqual({
      ...{ state: "survived", tests: 1 },
    });
  });

  test("what no test executes is told apart from what no test sees", () => {
    expect(verdictOn("export const unused = (text: string) => text;")).toEqual({
      state: "unreached",
    });
  });
});
