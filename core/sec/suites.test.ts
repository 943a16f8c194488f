import { describe, expect, it } from "vitest";
import { nextSuites, PRODUCTION_SUITES, SUITES, suiteOf } from "./suites.ts";

describe("the suites", () => {
  it("have the lengths that RFC 9528 §3.6 gives them", () => {
    const rows = Object.values(SUITES).map(({ id, aead }) => [id, aead.nonceLength, aead.tagLength]);
    expect(rows).toEqual([
      [0, 13, 8],
      [2, 13, 8],
      [3, 13, 16],
      [6, 12, 16],
    ]);
  });

  it("in production are 6, then 3", () => {
    expect(PRODUCTION_SUITES).toEqual([6, 3]);
  });

  it.each([1, 4, 5, 7, 24, 25, -1, 6.5, Number.NaN])("do not include %d", (id) => {
    expect(suiteOf(id)).toBeUndefined();
  });
});

describe("SUITES_I", () => {
  it("is 6 alone at first", () => {
    expect(nextSuites()).toEqual([6]);
  });

  it.each<[string, number[], (0 | 2 | 3 | 6)[], readonly number[] | undefined]>([
    ["selects 3 after 6 was refused for 3", [3], [6], [6, 3]],
    ["selects 3 for a tag remembered as suite 3", [3], [], [6, 3]],
    ["selects 6 where the tag prefers 3 but has 6", [3, 6], [], [6]],
    ["ignores suites we do not know", [24, 3, -21], [6], [6, 3]],
    ["ends where nothing is common", [0, 2, 24], [6], undefined],
    ["ends where nothing is supported", [], [6], undefined],
    ["ends where 6 was refused and is claimed all the same", [6, 3], [6], undefined],
    ["ends where both were refused", [3], [6, 3], undefined],
  ])("%s", (_what, suitesR, refused, expected) => {
    expect(nextSuites(suitesR, refused)).toEqual(expected);
  });
});
