import { expect, test } from "vitest";
import { addWrong, type ProofTries, wrongProofs } from "./proof-tries.ts";

const MINUTE = 60_000;

test("wrong proofs add up at one tag, and count for a quarter of an hour after the last", () => {
  const tries: ProofTries = new Map();
  addWrong(tries, "ebt-1", 1, 0);
  addWrong(tries, "ebt-1", 1, 10 * MINUTE);
  expect(wrongProofs(tries, "ebt-1", 25 * MINUTE - 1)).toBe(2);
  expect(wrongProofs(tries, "ebt-1", 25 * MINUTE)).toBe(0);
  expect(wrongProofs(tries, "ebt-2", 10 * MINUTE)).toBe(0);
});

test("used-up tries stay used up until then, and begin at nothing after it", () => {
  const tries: ProofTries = new Map();
  addWrong(tries, "ebt-1", Number.POSITIVE_INFINITY, 0);
  addWrong(tries, "ebt-1", 1, MINUTE);
  expect(wrongProofs(tries, "ebt-1", 15 * MINUTE - 1)).toBe(Number.POSITIVE_INFINITY);
  addWrong(tries, "ebt-1", 1, 15 * MINUTE);
  expect(wrongProofs(tries, "ebt-1", 15 * MINUTE)).toBe(1);
});
