import { expect, it } from "vitest";
import { faultsOf, usesOf, WORDS } from "./language.ts";
import { sizesOf } from "./size.ts";

it("counts lines of code and of tests by top folder", () => {
  const files = new Map([
    ["core/a.ts", 10],
    ["core/a.test.ts", 20],
    ["core/b.test-support.ts", 3],
    ["e2e/support/tour.ts", 7],
    ["vite.config.ts", 5],
    ["docs/rules.md", 900],
  ]);
  expect(sizesOf(files)).toEqual([
    { folder: ".", files: 1, code: 5, tests: 0 },
    { folder: "core", files: 3, code: 10, tests: 23 },
    { folder: "e2e", files: 1, code: 0, tests: 7 },
  ]);
});

const usesIn = (path: string, text: string) => usesOf(new Map([[path, text]]));
const countOf = (word: string, text: string) =>
  usesIn("worker/a.ts", text).find((use) => use.word === word)?.count;

it.each([
  ["nobody", "Nobody reads it, and nobody\nwrites it.", 2],
  ["nobody", "const nobodysTokens = 1;", 0],
  ["nobody", "const askNobody = 1;", 1],
  ["heard", "overheard", 0],
  ["the tag's word", "It is the tag’s\n word.", 1],
  ["by night", "by night, by nightfall", 1],
])("counts %s in %j", (word, text, count) => {
  expect(countOf(word, text)).toBe(count);
});

it.each(["core/bag/a.ts", "sdk/a.ts", "kit/README.md", "README.md", "docs/embed.md"])(
  "refuses a single gated word in %s",
  (path) => {
    expect(faultsOf(usesIn(path, "Whoever asks."))).toEqual([
      expect.stringMatching(new RegExp(`^${path}: "whoever"; write `)),
    ]);
  },
);

it("allows a gated word elsewhere up to its limit", () => {
  const limit = WORDS.find(({ word }) => word === "anew")?.atMost ?? 0;
  expect(faultsOf(usesIn("docs/rules.md", "anew ".repeat(limit)))).toEqual([]);
  expect(faultsOf(usesIn("docs/rules.md", "anew ".repeat(limit + 1)))).toEqual([
    `"anew" ${limit + 1} times, at most ${limit}; write again, a new …`,
  ]);
});

it("refuses none that is only counted", () => {
  expect(faultsOf(usesIn("core/a.ts", "He told me by day."))).toEqual([]);
});
