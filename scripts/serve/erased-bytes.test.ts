import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import type { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bareRuntime, databaseOf } from "./bare-runtime.ts";
import { prepareState } from "./server.ts";

/** What docs/privacy.md says of erased rows: the database keeps their bytes for a while, and no names are in them. */

const folder = mkdtempSync(join(tmpdir(), "taglatch-erased-"));
const filesOf = (stateDir: string) =>
  globSync(join(stateDir, "**/*.sqlite*")).map((path) => readFileSync(path, "latin1"));
let miniflare: Miniflare;
let db: D1Database;
beforeAll(async () => {
  miniflare = bareRuntime({ resourcePersistencePath: join(folder, "plain") });
  db = await databaseOf(miniflare);
});
afterAll(async () => {
  await miniflare.dispose();
  rmSync(folder, { recursive: true });
});

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
