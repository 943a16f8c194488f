import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { rowsIn } from "./database.ts";
import { besideDatabase } from "./near-database.ts";
import { startService } from "./service.ts";

describe("the database beside the service", () => {
  beforeAll(() => startService());

  it("has the rows of D1, and answers as D1 does", async () => {
    const [query, values] = [
      "select id, ? as a, ? as b, ? as c from clients order by id",
      [null, true, "c"],
    ] as const;
    const asked = async (database: D1Database) => {
      const statement = database.prepare(query).bind(...values);
      const [batch] = await database.batch([statement]);
      return [
        batch?.results,
        (await statement.all()).results,
        await statement.raw(),
        await statement.first("id"),
      ];
    };
    const [rows, answers] = [await rowsIn(env.DB), await asked(env.DB)];
    expect(answers[0]).not.toEqual([]);
    await besideDatabase(async (database) => {
      expect(await rowsIn(database)).toEqual(rows);
      expect(await asked(database)).toEqual(answers);
    });
  });

  it("undoes the whole of a batch that fails, and leaves D1 alone", async () => {
    await besideDatabase(async (database) => {
      const before = await rowsIn(database);
      const empty = database.prepare("delete from audit_log");
      await expect(database.batch([empty, database.prepare("select nothing")])).rejects.toThrow("nothing");
      expect(await rowsIn(database)).toEqual(before);
      await database.batch([database.prepare("delete from device_ticket_locks"), empty]);
    });
    expect((await env.DB.prepare("select count(*) as n from clients").first("n")) ?? 0).toBeGreaterThan(0);
  });
});
