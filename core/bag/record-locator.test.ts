import { expect, it } from "vitest";
import { foldLocator } from "./record-locator.ts";

it.each([
  ["ABC123", "ABC123"],
  ["abc123", "ABC123"],
  [" abc 123\t", "ABC123"],
  ["ABC\u00a0123\u2003", "ABC123"],
  ["ＡＢＣ１２３", "ABC123"],
  ["ABC-123", "ABC-123"],
  ["ABC١٢٣", "ABC123"],
  ["ABC۱۲۳", "ABC123"],
  ["abc१२३", "ABC123"],
  ["ABC①②③", "ABC123"],
  ["ABC𝟏𝟐𝟑", "ABC123"],
  ["ABC123\u200f", "ABC123"],
  ["\u202aABC123\u202c", "ABC123"],
  ["\ufeffABC\u00ad12\u200b3", "ABC123"],
  ["ABC\u2060123\ufe0f", "ABC123"],
])("a record locator typed %j is %j", (typed, folded) => {
  expect(foldLocator(typed)).toBe(folded);
});
