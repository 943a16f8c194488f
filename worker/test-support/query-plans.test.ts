import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";
import { countCalls, forgetTrips, overBudget } from "./call-budget.ts";
import { rowsIn } from "./database.ts";
import { besideDatabase } from "./near-database.ts";
import { forgetStatements, recorded, scansOf } from "./query-plans.ts";
import { startService } from "./service.ts";

/** After every file of this project its statements are explained; here, that this catches what it is for. */

const ALLOWED =
  "select allowed.value from clients, json_each(clients.scopes) as allowed where clients.id = ?";
it.each([
  ["a whole table", "select * from device_ticket_locks where journey_id = ?", 1],
  ["a whole index", "select count(*) from bags", 1],
  ["a scan below a subquery", "select 1 where exists (select 1 from journeys where cabin = ?)", 1],
  ["no search by an index", "select * from device_ticket_locks where device_id = ?", 0],
  ["no constant row", "select v.a from (select ? as a) as v", 0],
  ["no list in a row", ALLOWED, 0],
])("finds %s", async (_, query, scans) => {
  expect(await scansOf(env.DB, [query])).toHaveLength(scans);
});

it("records what is sent, until the file is over", async () => {
  const [first, query] = [recorded(env.DB), "select count(*) from journeys"];
  await first.withSession().batch([first.withSession().prepare(query)]);
  expect(await scansOf(env.DB)).toHaveLength(1);
  forgetStatements();
  await expect(first.prepare(query).all()).rejects.toThrow("is over");
});

afterEach(forgetTrips);

const [LOOKUP, UNLOCK, OTHER] = ["/v2/ebt-lookups", "/v2/ebt-unlocks", "/v2/device-losses"];
/** The same of its requests' D1 calls. */
it.each([
  ["a look-up one", LOOKUP, 200, 1, 0],
  ["a refused one its audit row", LOOKUP, 401, 2, 0],
  ["a commit of the lock two", UNLOCK, 200, 2, 0],
  ["other requests three", OTHER, 200, 3, 0],
  ["a refused one its audit row", OTHER, 403, 4, 0],
  ["what a conflict costs", LOOKUP, 200, 3, 2],
])("allows %s, and catches one more: %s, %i", (_, route, status, calls, again) => {
  countCalls({ route, status, calls, again });
  countCalls({ route, status, calls: 0 });
  expect(overBudget()).toEqual([]);
  countCalls({ route, status, calls: calls + 1, again });
  const name = status < 400 ? route : `${route} refused`;
  // A refused look-up is as other refused requests.
  expect(overBudget()).toEqual(name === `${LOOKUP} refused` ? [] : [[name, calls + 1 - again]]);
});

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
