import { expect, it } from "vitest";
import { foldLocator } from "./record-locator.ts";

it.each([
  ["ABC123", "ABC123"],
  ["abc123", "ABC123"],
  [" abc 123\t", "ABC123"],
  ["ABC\u00a0123\u2003", "ABC123"],
  ["ＡＢＣ１２３", "ABC123"],
  ["ABC-123", "ABC-123"],
])("a record locator typed %j is %j", (typed, folded) => {
  expect(foldLocator(typed)).toBe(folded);
});
