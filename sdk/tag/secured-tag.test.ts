import { describe, expect, test } from "vitest";
import { outcomeOf } from "./secured-tag.ts";

const whole = (fill: number) => new Uint8Array(32).fill(fill);
const prefix = (fill: number) => new Uint8Array(8).fill(fill);
const OURS = whole(1);

describe("what became of an earlier commit", () => {
  test.each([
    ["nothing, where the count is what it was", { commits: 4, mark: whole(2) }, "unchanged"],
    ["it took effect, where there is one more and its mark is ours", { commits: 5, mark: OURS }, "committed"],
    ["unknown where there is one more and it is another", { commits: 5, mark: whole(2) }, "unknown"],
    ["unknown where there is one more and the tag names none", { commits: 5 }, "unknown"],
    ["unknown where there are two more", { commits: 6, mark: OURS }, "unknown"],
    ["unknown where there are fewer", { commits: 3, mark: OURS }, "unknown"],
  ] as const)("is said by a v2.1 tag: %s", (_what, now, said) => {
    expect(outcomeOf(now, OURS, { commits: 4, mark: whole(2) })).toBe(said);
  });

  test("is known of a v2.1 tag that had never shown anything", () => {
    expect(outcomeOf({ commits: 1, mark: OURS }, OURS, { commits: 0 })).toBe("committed");
    expect(outcomeOf({ commits: 1, mark: OURS }, OURS, {})).toBe("committed");
  });

  test.each([
    ["ours, where the tag names it", { mark: prefix(1) }, { mark: prefix(2) }, "committed"],
    ["ours, where it had shown nothing", { mark: prefix(1) }, {}, "committed"],
    ["nothing, where it names what it named before", { mark: prefix(2) }, { mark: prefix(2) }, "unchanged"],
    ["nothing, where it has never shown anything", {}, {}, "unchanged"],
    ["unknown, where it names a third", { mark: prefix(3) }, { mark: prefix(2) }, "unknown"],
    ["unknown, where it has forgotten what it named", {}, { mark: prefix(2) }, "unknown"],
  ])("is %s, on v2.0", (_what, now, before, said) => {
    expect(outcomeOf(now, OURS, before)).toBe(said);
  });
});
