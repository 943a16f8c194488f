import { expect, it } from "vitest";
import { faultsOf, usesOf, WORDS } from "./language.ts";

const usesIn = (path: string, text: string) => usesOf(new Map([[path, text]]));

it.each([
  ["nobody", "Nobody reads it, and nobody\nwrites it. const askNobody = 1, nobodysTokens = 1;", 3],
  ["heard", "overheard", 0],
  ["the tag's word", "It is the tag’s\n word.", 1],
  ["by night", "by night, by nightfall", 1],
])("counts %s in %j", (word, text, count) => {
  expect(usesIn("worker/a.ts", text).find((use) => use.word === word)?.count).toBe(count);
});

it("refuses a gated word where others read first, elsewhere above its limit, and none that is only counted", () => {
  expect(faultsOf(usesIn("kit/README.md", "Whoever asks."))).toEqual([
    expect.stringMatching(/^kit\/README\.md: "whoever"; write /),
  ]);
  const limit = WORDS.find(({ word }) => word === "anew")?.atMost ?? 0;
  const sentences = (times: number) => faultsOf(usesIn("docs/rules.md", "anew ".repeat(times)));
  expect([sentences(limit).length, sentences(limit + 1).length]).toEqual([0, 1]);
  expect(faultsOf(usesIn("core/a.ts", "He told me by day."))).toEqual([]);
});
