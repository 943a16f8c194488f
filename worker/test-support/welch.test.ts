import { expect, it } from "vitest";
import { welch, worstWelch } from "./welch.ts";

/** A fixed sequence that looks like noise: 0 to 1. */
const noise = (count: number, seed: number) =>
  Array.from({ length: count }, (_, i) => (Math.sin((i + 1) * 12.9898 + seed * 78.233) * 43758.5453) % 1);

it("is the textbook's figure for its example", () => {
  // Welch (1947) by hand: means 3 and 6, variances 2.5 and 10, five of each.
  expect(welch([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])).toBeCloseTo(-3 / Math.sqrt(2.5 / 5 + 10 / 5), 12);
});

it("stays small for noise of one kind", () => {
  expect(Math.abs(worstWelch(noise(4_000, 1), noise(4_000, 2)))).toBeLessThan(4.5);
});

it("sees a shift far below the noise", () => {
  const shifted = noise(4_000, 2).map((time) => time + 0.1);
  expect(worstWelch(shifted, noise(4_000, 1))).toBeGreaterThan(4.5);
});

it("sees through outliers a shift that they drown", () => {
  const outlying = (times: readonly number[]) =>
    times.map((time, i) => (i % 50 === 0 ? 1_000 + time * 900 : time));
  const [a, b] = [outlying(noise(4_000, 1).map((time) => time + 0.1)), outlying(noise(4_000, 2))];
  expect(Math.abs(welch(a, b))).toBeLessThan(4.5);
  expect(worstWelch(a, b)).toBeGreaterThan(4.5);
});
