import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { projectFiles, projectText } from "../project-files.ts";
import { STATE_DIR, StartFailure } from "./start-failure.ts";

// The table `wrangler d1 migrations apply` keeps, so that both know what the other has done.
const LEDGER = `CREATE TABLE IF NOT EXISTS d1_migrations(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
 applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;
// Beside it, what was applied: until the first release a changed schema replaces the first migration.
const TEXTS = "CREATE TABLE IF NOT EXISTS taglatch_migrations(name TEXT PRIMARY KEY, sha256 TEXT NOT NULL)";

/** The database was made by a migration that reads differently today. */
export class MigrationChanged extends StartFailure {
  override readonly name = "MigrationChanged";
  readonly migration: string;
  constructor(migration: string) {
    super(
      (command) =>
        `The development database in ${STATE_DIR} is of an earlier version. Delete the folder and start again ` +
        `(demo data comes back by itself), or choose another: STATE_DIR=.wrangler/state-2 ${command}`,
    );
    this.migration = migration;
  }
}

/**
 * Applies what db/migrations has and `db` has not, each file whole or not at all; returns the names applied. Throws
 * {@link MigrationChanged} rather than go on with tables of another shape.
 */
export async function migrate(db: D1Database): Promise<string[]> {
  await db.batch([db.prepare(LEDGER), db.prepare(TEXTS)]);
  const { results } = await db
    .prepare(
      "SELECT d1_migrations.name, sha256 FROM d1_migrations LEFT JOIN taglatch_migrations USING (name)",
    )
    .all<{ name: string; sha256: string | null }>();
  const applied = new Map(results.map(({ name, sha256 }) => [name, sha256]));
  const names: string[] = [];
  for (const path of projectFiles("db/migrations/*.sql")) {
    const [name, text] = [basename(path), projectText(path)];
    const hash = createHash("sha256").update(text).digest("hex");
    const before = applied.get(name);
    if (before === undefined) {
      await apply(db, name, text, hash);
      names.push(name);
    } else if (before !== hash) throw new MigrationChanged(name);
  }
  return names;
}

async function apply(db: D1Database, name: string, text: string, hash: string): Promise<void> {
  await db.batch([
    ...text.split("--> statement-breakpoint").map((statement) => db.prepare(statement)),
    db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
    db.prepare("INSERT INTO taglatch_migrations (name, sha256) VALUES (?, ?)").bind(name, hash),
  ]);
}
