import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { startWithTwoGuests } from "../test-support/clean-tags.ts";
import { lockToOther } from "../test-support/locked-tag.ts";
import { staffSession, type TestSession } from "../test-support/logins.ts";
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
