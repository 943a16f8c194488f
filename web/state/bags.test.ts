import { expect, test } from "vitest";
import { LOVELACE } from "../test-support/journeys.ts";
import { attached, type Bag, tagsOf, withoutTag, withTag } from "./bags.ts";

const [BARE] = LOVELACE.baggage as [Bag];
const on = (...tags: string[]) => tags.reduceRight(withTag, BARE);

test("a bag on two tags names both, the latest first", () => {
  const bag = withTag(on("a"), "b");
  expect(bag).toMatchObject({ attachedDevice: "b", otherDevices: ["a"] });
  expect(tagsOf(bag)).toEqual(["b", "a"]);
});

test("a bag written again to its tag is on it once, however its id is spelt", () => {
  expect(tagsOf(withTag(on("b", "a"), "A"))).toEqual(["A", "b"]);
});

test("a bag that loses its only tag has none", () => {
  expect(withoutTag({ ...on("a"), lost: true }, "A")).toEqual(BARE);
});

test("a bag that loses one of two tags keeps the other", () => {
  expect(withoutTag(on("a", "b"), "a")).toEqual(on("b"));
  expect(withoutTag({ ...on("a", "b"), lost: true }, "b")).toEqual({ ...on("a"), lost: true });
});

test("a bag is the same where its tags do not change", () => {
  const bag = on("a");
  expect(withoutTag(bag, "b")).toBe(bag);
});

test("a tag goes from the bag that it showed to the bag that it shows", () => {
  const [first, second] = [on("a"), { ...BARE, baggageId: 2 }];
  expect([first, second].map((bag) => tagsOf(attached(bag, 2, "a")))).toEqual([[], ["a"]]);
});
