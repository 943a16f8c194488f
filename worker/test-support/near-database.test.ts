import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { rowsIn } from "./database.ts";
import { besideDatabase } from "./near-database.ts";
import { startService } from "./service.ts";

it("the database beside the service has D1's rows, answers as D1 does, and undoes a batch that fails", async () => {
  await startService();
  const asked = async (database: D1Database) => {
    const statement = database.prepare("select id, ? as a, ? as b from clients order by id").bind(null, true);
    const [batch] = await database.batch([statement]);
    return [batch?.results, (await statement.all()).results, await statement.raw()];
  };
  const [rows, answers] = [await rowsIn(env.DB), await asked(env.DB)];
  await besideDatabase(async (database) => {
    expect([await rowsIn(database), await asked(database)]).toEqual([rows, answers]);
    const failing = [database.prepare("delete from plate_ranges"), database.prepare("select nothing")];
    await expect(database.batch(failing)).rejects.toThrow("nothing");
    expect(await rowsIn(database)).toEqual(rows);
  });
});
