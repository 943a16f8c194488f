import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import type { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import { bareRuntime, databaseOf } from "./bare-runtime.ts";
import { MigrationChanged, migrate } from "./migrate.ts";
import { prepareState } from "./server.ts";

const folder = temporaryFolder();
let miniflare: Miniflare;
let db: D1Database;
let applied: readonly string[];
beforeAll(async () => {
  miniflare = bareRuntime({ resourcePersistencePath: join(folder, "plain") });
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

/** What docs/privacy.md says of erased rows: the database keeps their bytes for a while, and no names are in them. */

const filesOf = (stateDir: string) =>
  globSync(join(stateDir, "**/*.sqlite*")).map((path) => readFileSync(path, "latin1"));

it("a deleted row's bytes stay in the database's files", async () => {
  await db.prepare("create table names(name text)").run();
  await db.prepare("insert into names values ('Lovelace')").run();
  await db.prepare("delete from names").run();
  expect(filesOf(join(folder, "plain")).some((bytes) => bytes.includes("Lovelace"))).toBe(true);
});

it("D1 takes no statement that would overwrite them", async () => {
  await expect(db.prepare("pragma secure_delete = on").run()).rejects.toThrow("not authorized");
  await expect(db.prepare("vacuum").run()).rejects.toThrow("cannot VACUUM");
});

it("names and record locators are in no file of a database with journeys, erased or not", async () => {
  const stateDir = join(folder, "seeded");
  await prepareState(stateDir);
  const files = filesOf(stateDir);
  // A column that is not sealed shows that the rows are in these files.
  expect(files.some((bytes) => bytes.includes("0117123456"))).toBe(true);
  for (const name of ["Lovelace", "LOVELACE", "ABC123"])
    expect(files.filter((bytes) => bytes.includes(name))).toEqual([]);
});
