import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { projectFiles, ROOT } from "./project-files.ts";

// The table `wrangler d1 migrations apply` keeps, so that both know what the other has done.
const LEDGER = `CREATE TABLE IF NOT EXISTS d1_migrations(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
 applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/** Applies what db/migrations has and `db` has not, each file whole or not at all; returns the names applied. */
export async function migrate(db: D1Database): Promise<string[]> {
  await db.prepare(LEDGER).run();
  const { results } = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const done = new Set(results.map(({ name }) => name));
  const open = projectFiles("db/migrations/*.sql").filter((path) => !done.has(basename(path)));
  for (const path of open) {
    const statements = readFileSync(join(ROOT, path), "utf8").split("--> statement-breakpoint");
    const name = basename(path);
    await db.batch([
      ...statements.map((statement) => db.prepare(statement)),
      db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
    ]);
  }
  return open.map((path) => basename(path));
}
