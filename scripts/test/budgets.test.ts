import { expect, it } from "vitest";
import { againstBudget } from "./budgets.ts";

it("shows what a part took beside what it may take", () => {
  expect(againstBudget("checks", 34.6)).toBe("checks       35 s of 35 s");
});

it("says loudly that a part took longer", () => {
  expect(againstBudget("vitest", 380.2)).toBe("vitest      380 s of 325 s   <<< OVER BUDGET by 55 s");
});
