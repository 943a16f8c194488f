import { expect, it } from "vitest";
import { prefixFault, rootsFor } from "./tag-roots.ts";

const [ACME, GLOBEX] = [new Uint8Array([1]), new Uint8Array([2])];
const roots = [ACME, GLOBEX];
const prefixes = [["Acme-", "AX"], ["globex-"]];

it.each([
  ["acme-0001", [ACME]],
  [" ACME-0001 ", [ACME]],
  ["ax7", [ACME]],
  ["globex-1", [GLOBEX]],
  ["acm", []],
  ["xacme-1", []],
])("finds the roots that may name %s", (id, expected) => {
  expect(rootsFor(roots, prefixes, id)).toEqual(expected);
});

it("lets every root name every id where there are no lists", () => {
  expect(rootsFor([ACME], undefined, "anything")).toEqual([ACME]);
});

it.each([
  ["one root without a list", 1, undefined, undefined],
  ["no root", 0, undefined, undefined],
  ["lists without a common id", 2, prefixes, undefined],
  ["two roots without lists", 2, undefined, /no list/],
  ["a list too few", 2, [["a"]], /one list/],
  ["an empty list", 2, [["a"], []], /one list/],
  ["the same prefix twice", 2, [["a-"], ["A-"]], /two tag CAs/],
  ["a prefix of another's prefix", 2, [["acme-1"], ["b", "acme"]], /two tag CAs/],
  ["a root of all ids beside another", 2, [[""], ["b"]], /two tag CAs/],
])("checks %s", (_name, count, lists, fault) => {
  const found = prefixFault(count, lists);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(fault);
});
