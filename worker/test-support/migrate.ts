import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { forgetTrips, overBudget } from "./call-budget.ts";
import { dropTables } from "./database.ts";
import { forgetLeaks, takeLeaks, watchConsole } from "./leaks.ts";
import { forgetStatements, scansOf } from "./query-plans.ts";

// One runtime runs many files, each from nothing: an empty database, and no memory of the files before it.
await dropTables(env.DB);
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
forgetLeaks();
forgetStatements();
forgetTrips();

const unwatch = watchConsole();

afterAll(async () => {
  unwatch();
  expect(takeLeaks(), "secrets and names in logs and refusals").toEqual([]);
  expect(await scansOf(env.DB), "statements that scan a table").toEqual([]);
  expect(overBudget(), "routes with too many D1 calls").toEqual([]);
});
