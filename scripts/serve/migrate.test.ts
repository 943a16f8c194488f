import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MigrationChanged, migrate } from "./migrate.ts";

let folder: string;
let miniflare: Miniflare;
let db: D1Database;
let applied: readonly string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "taglatch-migrate-"));
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default {}",
      d1Databases: ["DB"],
      resourcePersistencePath: folder,
    }),
  );
  db = (await miniflare.getD1Database("DB")) as unknown as D1Database;
  applied = await migrate(db);
});
/** Applying all of it takes longer than the tests: each puts back what it has changed. */
const change = (...statements: readonly string[]) => db.batch(statements.map((text) => db.prepare(text)));
afterAll(async () => {
  await miniflare.dispose();
  rmSync(folder, { recursive: true });
});

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
