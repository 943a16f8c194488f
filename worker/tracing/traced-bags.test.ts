import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { lockToOther } from "../test-support/locked-tag.ts";
import { staffOf, staffSession, startWithTwoGuests, type TestSession } from "../test-support/logins.ts";
import type { TestService } from "../test-support/service.ts";

/** What ground staff see of lost and found bags, page by page (rules §5, "Found"). */

const TAG = "ebt-21-0001";

let service: TestService;
let guest: TestSession;
let staff: TestSession;
beforeEach(async () => {
  ({ service, guest } = await startWithTwoGuests());
  staff = await staffSession(service);
});

const attach = (baggageId = 1, uniqueID = TAG) =>
  guest.call("deviceAttachment", { device: { uniqueID }, baggageId });
const report = (uniqueDeviceId: string) => service.post("/v2/found-reports", { uniqueDeviceId, desk: "9" });
const traced = (fields: object = {}) => staff.call("tracedBags", fields);
const lose = () => guest.call("deviceLoss", { uniqueDeviceId: TAG, lost: true });

it("lists the lost and found bags of an airline, latest news first, page by page", async () => {
  await attach();
  await attach(2, "ebt-21-0002");
  await lockToOther(service, "ebt-21-0003");
  await lose();
  service.advance(60);
  await report("ebt-21-0002");
  await report("ebt-21-0003");
  const { body } = await traced();
  expect(
    body.bags.map(({ uniqueDeviceId }: { uniqueDeviceId: string }) => uniqueDeviceId.toLowerCase()),
  ).toEqual(["ebt-21-0002", TAG]);
  const [{ foundAt }, called] = body.bags;
  expect(called).not.toHaveProperty("foundAt");
  const cursor = `${Date.parse(foundAt).toString(36)}.00`; // Between the two.
  expect((await traced({ cursor })).body.bags).toHaveLength(1);
  expect(service.log.at(-1)).toMatchObject({ calls: 2 });
});

it("lists each once where more than a page of them have news of one moment", async () => {
  await attach();
  await lose();
  const ids = sql`json_each(${JSON.stringify(Array.from({ length: 100 }, (_, i) => `lost-${i}`))})`;
  await service.db.run(
    sql`insert into devices (id, label, registered_at) select value, value, 1 from ${ids} where true`,
  );
  await service.db.run(sql`insert into device_ticket_locks
      (device_id, plan_id, journey_id, baggage_id, entitled, holder_sub, writer_sub, locked_at, ends_at, request_id, lost_at)
    select value, plan_id, journey_id, baggage_id, entitled, holder_sub, writer_sub, locked_at, ends_at, value, lost_at
    from device_ticket_locks, ${ids} where device_id = ${TAG}`);
  const first = (await traced()).body;
  const second = (await traced({ cursor: first.nextCursor })).body;
  expect([first.bags.length, second.bags.length, second.nextCursor]).toEqual([100, 1, undefined]);
  const names = [...first.bags, ...second.bags].map(({ uniqueDeviceId }) => uniqueDeviceId);
  expect(new Set(names).size).toBe(101);
});

/** Lost bags of `airline` on tags of their own, each a second newer than the one before. */
async function addLost(airline: string, count: number): Promise<void> {
  const ids = sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    select ${airline} || '-' || i as id, i from n)`;
  const end = service.now() + 86_400_000;
  const add = (text: ReturnType<typeof sql>) => service.db.run(text);
  await add(sql`insert or ignore into travel_plans
      (id, airline, locator_hash, locator_sealed, first_flight_date, ends_at)
    select id, ${airline}, id, 'sealed', '2026-01-01', ${end} from ${ids}`);
  await add(sql`insert into devices (id, label, registered_at) select id, id, 1 from ${ids}`);
  await add(sql`insert into device_ticket_locks (device_id, plan_id, airline, journey_id, baggage_id, entitled,
      holder_sub, writer_sub, locked_at, ends_at, request_id, lost_at)
    select id, id, ${airline}, id, 1, 1, 's', 's', 1, ${end}, id, ${service.now()} + i * 1000 from ${ids}`);
}

it("lists the bags of several airlines in one order, page by page, and reads a page of each", async () => {
  staff = await staffOf(service, "SK", "LH");
  await addLost("LH", 1_000);
  await addLost("SK", 1_000);
  const names: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 3; page++) {
    const { body } = await traced(cursor === undefined ? {} : { cursor });
    names.push(...body.bags.map(({ uniqueDeviceId }: { uniqueDeviceId: string }) => uniqueDeviceId));
    cursor = body.nextCursor;
    expect(Number(service.log.at(-1)?.rowsRead)).toBeLessThan(2_500);
  }
  const newest = Array.from({ length: 150 }, (_, i) => [`SK-${1_000 - i}`, `LH-${1_000 - i}`]).flat();
  expect(names).toEqual(newest);
});
