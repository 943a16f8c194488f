import { expect, it } from "vitest";
import { againstBudget } from "./budgets.ts";

it("shows what a part took beside what it may take", () => {
  expect(againstBudget("build", 19.6)).toBe("build        20 s of 20 s");
});

it("says loudly that a part took longer", () => {
  expect(againstBudget("vitest", 380.2)).toBe("vitest      380 s of 220 s   <<< OVER BUDGET by 160 s");
});
