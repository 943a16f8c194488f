import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { MigrationChanged, migrate } from "./migrate.ts";

const DATABASES = ["A", "B", "C"];
let folder: string;
let miniflare: Miniflare;
let db: D1Database;
let tests = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "taglatch-migrate-"));
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default {}",
      d1Databases: DATABASES,
      resourcePersistencePath: folder,
    }),
  );
});
/** Each test has an empty one. */
beforeEach(async () => {
  db = (await miniflare.getD1Database(DATABASES[tests++] ?? "")) as unknown as D1Database;
});
afterAll(async () => {
  await miniflare.dispose();
  rmSync(folder, { recursive: true });
});

it("applies what is there once", async () => {
  expect(await migrate(db)).not.toEqual([]);
  expect(await migrate(db)).toEqual([]);
});

it("refuses a database made by another version of a migration", async () => {
  await migrate(db);
  await db.prepare("update taglatch_migrations set sha256 = 'another'").run();
  await expect(migrate(db)).rejects.toThrow(MigrationChanged);
});

it("refuses a database made before what was applied was kept", async () => {
  await migrate(db);
  await db.prepare("drop table taglatch_migrations").run();
  await expect(migrate(db)).rejects.toThrow(MigrationChanged);
});
