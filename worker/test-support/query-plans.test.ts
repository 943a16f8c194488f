import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { guestSession } from "./logins.ts";
import { recordedCount, scansAmong } from "./query-plans.ts";
import { startService } from "./service.ts";

/** After every file of this project its statements are explained; here, that this catches what it is for. */

it("finds a statement that reads a whole table", async () => {
  const [scan] = await scansAmong(env.DB, ["select * from device_ticket_locks where journey_id = ?"]);
  expect(scan?.plan).toEqual(["SCAN device_ticket_locks"]);
});

it("finds a whole index read from end to end", async () => {
  expect(await scansAmong(env.DB, ["select count(*) from bags"])).toHaveLength(1);
});

it("finds a scan below a subquery", async () => {
  const query = "select 1 where exists (select 1 from journeys where cabin = ?)";
  expect(await scansAmong(env.DB, [query])).toHaveLength(1);
});

it("leaves searches by an index and constant rows alone", async () => {
  const queries = [
    "select * from device_ticket_locks where device_id = ?",
    "select v.a from (select ? as a) as v",
    "select allowed.value from clients, json_each(clients.login_methods) as allowed where clients.id = ?",
  ];
  expect(await scansAmong(env.DB, queries)).toEqual([]);
});

it("records what a request sends", async () => {
  const before = recordedCount();
  await (await guestSession(await startService())).call("ebtLookup", { uniqueDeviceId: "ebt-21-0001" });
  expect(recordedCount()).toBeGreaterThan(before + 3);
});
