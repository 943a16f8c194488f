import { describe, expect, test } from "vitest";
import { applied, rowsOf, whyNot } from "./check-row.ts";
import { CHECKS } from "./checks.ts";
import { countsOf } from "./counts.ts";
import { GOOD_TAG } from "./test-support/good-tag.ts";

const idsIn = (group: Parameters<typeof rowsOf>[1]) => rowsOf(CHECKS, group).map(({ id }) => id);

test.each(["2.1", "2.0"] as const)("as many checks apply to a v%s tag as a good one passes", (generation) => {
  const scope = { generation, servesV20: true, signs: generation === "2.1", optional: false };
  const applying = CHECKS.filter((row) => whyNot(row, scope) === undefined);
  expect(applying.length).toBe(GOOD_TAG[generation].passed);
  const asked = CHECKS.filter((row) => whyNot(row, { ...scope, optional: true }) === undefined);
  expect(asked.length).toBe(GOOD_TAG[generation].passed + 1);
});

test("v2.0's checks apply to a v2.1 tag until its first v2.1 commit", () => {
  const about = (servesV20: boolean) =>
    CHECKS.filter(({ profile }) => profile === "2.0").map((row) =>
      whyNot(row, { generation: "2.1", servesV20, signs: true, optional: false }),
    );
  expect(new Set(about(true))).toEqual(new Set([undefined]));
  expect(about(false)).toContainEqual(["generation", "2.0"]);
});

test("a check that should have run and tested nothing is counted, one that is about other tags is not", () => {
  const results = [
    { outcome: "pass", seen: ["same"] },
    { outcome: "fail", seen: ["generation", "2.1"] },
    { outcome: "skip", seen: ["notPermitted", "device_lost"] },
    { outcome: "skip", seen: ["noSession", "gone"] },
    { outcome: "skip", seen: ["generation", "2.0"] },
    { outcome: "skip", seen: ["signs", 1] },
    { outcome: "skip", seen: ["optedOut"] },
  ] as const;
  expect(results.map(applied)).toEqual([true, true, true, true, false, false, false]);
  expect(countsOf(results)).toEqual({ applies: 4, pass: 1, fail: 1, skip: 2 });
});

describe("one group", () => {
  test("is run alone where it leaves the display as it is", () => {
    expect(idsIn("session")).toEqual(["C35", "C36", "C37"]);
  });

  test("needs no commit for v2.0's nonce and chain, which a v2.1 tag serves only until one", () => {
    expect(idsIn("v20")).toEqual(["C67", "C68", "C69", "C70", "C71", "C72"]);
  });

  test("is followed by the clear where it writes, so that no test label stays", () => {
    expect(idsIn("commit")).toEqual(["C61", "C62", "C63", "C64", "C65", "C66", "C73", "C74"]);
    for (const group of ["label", "token", "record", "statement"] as const)
      expect(idsIn(group)).toContain("C73");
  });

  test("is a part of the whole, which has no other check", () => {
    const groups = [...new Set(CHECKS.map(({ group }) => group))];
    expect(new Set(groups.flatMap(idsIn))).toEqual(new Set(idsIn(undefined)));
    expect(idsIn(undefined)).toEqual(CHECKS.map(({ id }) => id));
  });
});
