import { expect, it } from "vitest";
import { coveredBy, requirements, testsOf, wanted } from "./asvs.ts";

const ROWS = requirements();

it("each requirement of levels 1 and 2 stands once, in the standard's order, and no other", () => {
  expect(wanted()).toHaveLength(253);
  expect(ROWS.flatMap(coveredBy)).toEqual(wanted());
});

it("each test that is named exists, and most of what is met has one", () => {
  const named = ROWS.flatMap(testsOf);
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(([, file]) => file === undefined)).toEqual([]);
  const met = ROWS.filter(({ state }) => state === "met");
  expect(met.filter((row) => testsOf(row).length > 0).length / met.length).toBeGreaterThan(0.75);
});

it("a whole section is without object, or its requirements stand one by one", () => {
  const sections = ROWS.filter(({ id }) => id.split(".").length === 2);
  expect(sections.length).toBeGreaterThan(5);
  expect(sections.filter(({ state }) => state !== "n/a")).toEqual([]);
});
