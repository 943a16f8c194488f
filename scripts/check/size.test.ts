import { expect, it } from "vitest";
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
