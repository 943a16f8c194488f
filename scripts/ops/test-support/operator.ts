import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Db } from "../../../worker/database/connect.ts";
import { prepareState } from "../../serve/server.ts";
import { type OpenDatabase, openDatabase, type Target } from "../database.ts";
import { operate, type World } from "../operate.ts";

let prepared: Promise<string> | undefined;

/** A database of one's own in `stateDir`, migrated and seeded: made once for all files that one process tests, and copied. */
export async function copyPreparedState(stateDir: string): Promise<void> {
  prepared ??= prepare();
  cpSync(await prepared, stateDir, { recursive: true });
}

async function prepare(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-prepared-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await prepareState(folder);
  return folder;
}

type Statement = BatchItem<"sqlite">;

const TABLES = sql`select name from sqlite_master where type = 'table'
  and name not like 'sqlite!_%' escape '!' and name not like '!_cf!_%' escape '!'`;

/**
 * Copies every table of `db` beside itself; the result puts the rows back as they are now. A copy within the database
 * takes milliseconds, where another database takes a runtime of its own.
 */
export async function restorable(db: Db): Promise<() => Promise<void>> {
  const tables = (await db.all<{ readonly name: string }>(TABLES)).map(({ name }) => name);
  await inOneBatch(db, tables, (name) => [`create table "copy of ${name}" as select * from "${name}"`]);
  const compare = sql.raw(`select ${tables.map(comparison).join(", ")}`);
  return async () => {
    const [found = {}] = await db.all<Readonly<Record<string, Found>>>(compare);
    if (!Object.values(found).includes("changed")) return;
    // All that hold rows, because a delete may reach rows of a table that is as it was.
    const filled = tables.filter((name) => found[name] !== "empty");
    await inOneBatch(db, filled, (name) => [
      `delete from "${name}"`,
      `insert into "${name}" select * from "copy of ${name}"`,
    ]);
  };
}

type Found = "empty" | "changed" | "same";

/** A column, named as the table, that says how its rows compare with their copy: see {@link Found}. */
function comparison(name: string): string {
  const [now, then] = [`select * from "${name}"`, `select * from "copy of ${name}"`];
  return `case when not exists(${now}) and not exists(${then}) then 'empty'
    when exists(${now} except ${then}) or exists(${then} except ${now}) then 'changed'
    else 'same' end as "${name}"`;
}

/** All first statements of `names`, then all second ones. */
async function inOneBatch(db: Db, names: readonly string[], texts: (name: string) => readonly string[]) {
  const pairs = names.map(texts);
  const statements = [0, 1].flatMap((index) => pairs.flatMap((pair) => pair[index] ?? []));
  // Rows refer to each other: check the references once all are back.
  const deferred: Statement = db.run(sql`pragma defer_foreign_keys = on`);
  await db.batch([deferred, ...statements.map((text) => db.run(sql.raw(text)))]);
}

/** An operator at a development database, which is as it was prepared before each test of the file. */
export interface Operator {
  /** The path of `name` in the operator's folder, which ends with the file. */
  file(name: string): string;
  readonly db: Db;
  /** What commands note beside their answer, since the test began. */
  readonly notes: readonly string[];
  /** The world in which commands run, without where they print. */
  readonly world: Required<Omit<World, "print">>;
  /** Runs a command; the lines it prints. */
  ops(...words: readonly string[]): Promise<string[]>;
}

/** Opens the database once for the whole file: a test alone would wait longer for its runtime than it takes. */
export function operatorOf(name: string): Operator {
  const folder = mkdtempSync(join(tmpdir(), `taglatch-${name}-`));
  const file = (path: string) => join(folder, path);
  const stateDir = file("state");
  const notes: string[] = [];
  let local: OpenDatabase;
  let restore: () => Promise<void>;
  let wasUsed = false;
  const used = () => {
    wasUsed = true;
    return local;
  };

  beforeAll(async () => {
    await copyPreparedState(stateDir);
    local = await openDatabase({ kind: "local", stateDir });
    restore = await restorable(local.db);
  });
  beforeEach(async () => {
    notes.length = 0;
    if (wasUsed) await restore();
    wasUsed = false;
  });
  afterAll(async () => {
    await local.close();
    rmSync(folder, { recursive: true });
  });

  const world = {
    note: (line: string) => void notes.push(line),
    env: { STATE_DIR: stateDir },
    open: async (target: Target) =>
      target.kind === "local" ? { ...used(), close: () => Promise.resolve() } : openDatabase(target),
  };
  const ops = async (...words: readonly string[]) => {
    const lines: string[] = [];
    await operate(words, { ...world, print: (line) => lines.push(line) });
    return lines;
  };
  return {
    file,
    notes,
    world,
    ops,
    get db() {
      return used().db;
    },
  };
}
