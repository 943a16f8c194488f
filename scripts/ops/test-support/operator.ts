import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { is, sql } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { afterAll, beforeAll, beforeEach } from "vitest";
import * as schema from "../../../db/schema.ts";
import { exitCodeOf } from "../../../kit/command-line.ts";
import type { Db } from "../../../worker/database/connect.ts";
import { ROOT } from "../../project-files.ts";
import { writeDevVars } from "../../serve/keys.ts";
import { overOpenConnection, prepareState } from "../../serve/server.ts";
import { temporaryFolder } from "../../test/test-support/temporary-folder.ts";
import { type OpenDatabase, openDatabase, type Target } from "../database.ts";
import { putDemoBack } from "../demo.ts";
import { readSecrets } from "../files.ts";
import { operate, type World } from "../operate.ts";
import { sentenceOf } from "../show.ts";

/** The secrets of this machine, with which the development data are sealed. */
export const SECRET_FILE = join(ROOT, ".dev.vars");
export const SECRETS = ["--secrets", SECRET_FILE] as const;
await writeDevVars(SECRET_FILE);
export const devSecrets = readSecrets(SECRET_FILE);

/** What a command has printed, also one that failed; the sentence and the exit code of its failure. */
export interface Outcome {
  readonly lines: readonly string[];
  readonly sentence: string;
  readonly code: 0 | 1 | 2;
  readonly error?: unknown;
}

/** Runs the command of `words` in `world`. */
export async function outcomeOf(words: readonly string[], world: Partial<World> = {}): Promise<Outcome> {
  const lines: string[] = [];
  return operate(words, { env: {}, ...world, print: (line) => lines.push(line) }).then(
    () => ({ lines, sentence: "", code: 0 as const }),
    (error: unknown) => ({ lines, sentence: sentenceOf(error), code: exitCodeOf(error), error }),
  );
}

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

/** Puts the rows of `db` back as they were prepared: another database takes a runtime of its own. */
export const restore = (db: Db): Promise<void> => overOpenConnection(() => putDemoBack(db, devSecrets));

/** Every row of every table, as text. */
export async function everyRow(db: Db): Promise<Readonly<Record<string, string>>> {
  const tables = Object.values(schema).filter((value) => is(value, SQLiteTable));
  const rows = tables.map(async (table) => {
    return [getTableConfig(table).name, JSON.stringify(await db.all(sql`select * from ${table}`))] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

/** The sentence and the exit code of a command that fails. */
export const failureOf = ({ sentence, code }: Outcome) => [sentence, code] as const;

/**
 * An operator at a development database, which is as it was prepared before each test of the file. It is opened once: a
 * test alone would wait longer for its runtime than it takes.
 */
export function operatorHere() {
  const folder = temporaryFolder();
  const file = (path: string) => join(folder, path);
  const stateDir = file("state");
  const notes: string[] = [];
  let local: OpenDatabase;
  let wasUsed = false;
  const used = () => {
    wasUsed = true;
    return local;
  };

  beforeAll(async () => {
    await copyPreparedState(stateDir);
    local = await openDatabase({ kind: "local", stateDir });
  });
  beforeEach(async () => {
    notes.length = 0;
    if (wasUsed) await restore(local.db);
    wasUsed = false;
  });
  afterAll(() => local.close());

  const world = {
    note: (line: string) => void notes.push(line),
    env: { STATE_DIR: stateDir },
    open: async (target: Target) =>
      target.kind === "local" ? { ...used(), close: () => Promise.resolve() } : openDatabase(target),
  };
  const outcome = (...words: readonly string[]) => outcomeOf(words, world);
  /** Runs a command; the lines it prints. Rejects where it fails. */
  const ops = async (...words: readonly string[]) => {
    const { lines, error } = await outcome(...words);
    if (error !== undefined) throw error;
    return lines;
  };
  return {
    /** The path of a name in the operator's folder, which ends with the file. */
    file,
    /** What commands note beside their answer, since the test began. */
    notes,
    /** The world in which commands run, without where they print. */
    world,
    outcome,
    ops,
    /** What it answers as JSON. */
    json: async (...words: readonly string[]) => JSON.parse((await ops(...words, "--json")).join("\n")),
    failed: async (...words: readonly string[]) => failureOf(await outcome(...words)),
    get db() {
      return used().db;
    },
  };
}
