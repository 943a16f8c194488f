import { is, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { seed } from "../../db/demo/seed.ts";
import * as schema from "../../db/schema.ts";
import type { Db } from "../../worker/database/connect.ts";
import { type Commands, command } from "./command.ts";
import { type DeploymentSecrets, pepperIn, secretNamed } from "./files.ts";

export const demoCommands = {
  "demo reset": command({
    summary: "empty this machine's development database and put the demo data back; never a deployment's",
    database: "local",
    async run(_values, { db, secrets, print }) {
      await putDemoBack(db, secrets());
      print("demo data as on the first start: every tag unlocked, journeys tomorrow");
    },
  }),
} satisfies Commands;

/** Empties every table, and fills them as the first start does. */
export async function putDemoBack(db: Db, secrets: DeploymentSecrets): Promise<void> {
  const tables = Object.values(schema).filter((value) => is(value, SQLiteTable));
  const statements: BatchItem<"sqlite">[] = tables.map((table) => db.delete(table));
  // Rows refer to each other: check the references once all are gone.
  await db.batch([db.run(sql`pragma defer_foreign_keys = on`), ...statements]);
  await seed(db, {
    now: Date.now(),
    pepper: pepperIn(secrets),
    dataKey: fromBase64Url(secretNamed(secrets, "DATA_KEY")),
  });
}
