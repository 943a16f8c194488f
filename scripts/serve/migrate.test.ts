import type { D1Database } from "@cloudflare/workers-types";
import type { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bareRuntime, databaseOf } from "./bare-runtime.ts";
import { MigrationChanged, migrate } from "./migrate.ts";

let miniflare: Miniflare;
let db: D1Database;
let applied: readonly string[];
beforeAll(async () => {
  miniflare = bareRuntime();
  db = await databaseOf(miniflare);
  applied = await migrate(db);
});
/** Applying all of it takes longer than the tests: each puts back what it has changed. */
const change = (...statements: readonly string[]) => db.batch(statements.map((text) => db.prepare(text)));
afterAll(() => miniflare.dispose());

it("applies what is there once", async () => {
  expect(applied).not.toEqual([]);
  expect(await migrate(db)).toEqual([]);
});

it("refuses a database made by another version of a migration", async () => {
  await change("update taglatch_migrations set sha256 = '!' || sha256");
  await expect(migrate(db)).rejects.toThrow(MigrationChanged);
  await change("update taglatch_migrations set sha256 = substr(sha256, 2)");
});

it("refuses a database made before what was applied was kept", async () => {
  await change("alter table taglatch_migrations rename to kept");
  await expect(migrate(db)).rejects.toThrow(MigrationChanged);
  await change("drop table taglatch_migrations", "alter table kept rename to taglatch_migrations");
});
