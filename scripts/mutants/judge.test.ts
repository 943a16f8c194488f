import { describe, expect, test } from "vitest";
import type { Told } from "./job.ts";
import { judge } from "./judge.ts";

const runs = [1, 2, 3].map((mutant) => ({ mutant, fresh: false }));
const ran = (mutant: number, failed?: string): Told[] => [{ began: mutant }, { mutant, failed, ms: 1 }];
const judged = (...told: readonly Told[][]) => {
  const { killed, left } = judge(runs, told.flat());
  return { killed: [...killed], left: left.map(({ mutant, alone }) => (alone ? -mutant : mutant)) };
};

describe("believed", () => {
  test("is what a control that passes comes after", () => {
    expect(judged(ran(1, "a"), ran(2), ran(0), ran(3))).toEqual({ killed: [[1, "a"]], left: [3] });
  });

  test("is a first run that passed where the control fails; the others come again with controls of their own", () => {
    expect(judged(ran(1), ran(2, "a"), ran(3, "b"), ran(0, "c"))).toEqual({ killed: [], left: [-2, -3] });
  });

  test("is no first run that failed where the control fails: it comes again with controls of its own", () => {
    expect(judged(ran(1, "a"), ran(2), ran(0, "c"))).toEqual({ killed: [], left: [-1, -2, 3] });
  });

  test("is one that failed between controls of its own, whatever it leaves behind, and none whose tests fail anyway", () => {
    const alone = [1, 2].map((mutant) => ({ mutant, fresh: false, alone: true }));
    const told = [ran(0), ran(0), ran(1, "a"), ran(0, "b"), ran(0), ran(0, "c"), [{ unfit: 2, failed: "c" }]];
    const { killed, left, doubts } = judge(alone, told.flat());
    expect([[...killed], left]).toEqual([[[1, "a"]], []]);
    expect(doubts.at(-1)).toBe("the tests of fault 2 fail without it: c");
  });

  test("is what comes after a control that passes at the second try", () => {
    const told = [ran(1, "a"), ran(2, "b"), ran(0, "c"), ran(0), ran(3, "d"), ran(0)];
    expect(judged(...told)).toEqual({ killed: [[3, "d"]], left: [-1, -2] });
  });
});

describe("a run that ends its runtime", () => {
  test("is killed where nothing was left behind before it", () => {
    expect(judged(ran(1), ran(0), [{ began: 2 }])).toEqual({ killed: [[2, "its runtime ended"]], left: [3] });
  });

  test("comes again as the first where another fault may be to blame", () => {
    expect(judged(ran(1), ran(2), [{ began: 3 }])).toEqual({ killed: [], left: [3, -2] });
  });

  test("without a fault is the fault of one before it", () => {
    expect(judged(ran(1, "a"), ran(2, "b"), [{ began: 0 }])).toEqual({ killed: [], left: [-1, -2, 3] });
  });
});
