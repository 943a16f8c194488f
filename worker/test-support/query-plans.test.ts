import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { forgetStatements, recorded, scansOf } from "./query-plans.ts";

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
