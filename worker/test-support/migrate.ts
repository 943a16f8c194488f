import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { leaks, watchConsole } from "./leaks.ts";
import { scansOf } from "./query-plans.ts";
import { overBudget } from "./trip-budget.ts";

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

watchConsole();

afterAll(async () => {
  expect(leaks.take(), "secrets and names in logs and refusals").toEqual([]);
  expect(await scansOf(env.DB), "statements that scan a table").toEqual([]);
  expect(overBudget(), "routes with too many D1 round trips").toEqual([]);
});
