import { env } from "cloudflare:workers";
import { eq, notLike } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { auditLog, deviceAliases, devices, deviceTicketLocks } from "../../db/schema.ts";
import { connect } from "../database/connect.ts";
import { guestSession, type TestSession, withBookings } from "../test-support/logins.ts";
import { lockRow } from "../test-support/rows.ts";
import { scheduledRun, startClean, startService, type TestService } from "../test-support/service.ts";

/** Scheduled runs delete tags that callers registered without a certificate and that were not locked for 400 days. */

const NOW = Date.now();
const DAY = 86_400_000;
const OLD = NOW - 400 * DAY;
const db = connect(env.DB);
const NOT_OF_DEMO = notLike(devices.id, "ebt-2_-000_");

let service: TestService;
beforeEach(async () => {
  service = await startClean();
});

/** One run, three rows at a time, where the whole audit log is in the database: how many tags it forgot. */
async function run(now = NOW, vars: Readonly<Record<string, unknown>> = {}): Promise<number> {
  const { swept } = await scheduledRun(now, { SWEEP_ROWS_PER_STATEMENT: "3", ARCHIVE: undefined, ...vars });
  return (swept as { readonly devices?: number }).devices ?? 0;
}
const tag = (id: string, more: Partial<typeof devices.$inferInsert> = {}) => ({
  ...{ id, label: id, registeredAt: OLD, entitledAt: OLD, reviewAt: NOW, ...more },
});
const left = async () => (await db.select().from(devices).where(NOT_OF_DEMO)).map(({ id }) => id).sort();
const locked = (deviceId: string, at: number) =>
  db.insert(auditLog).values({ at, event: "lock_ended", requestId: "r", deviceId });

it("in small batches and with their aliases, but none for which a lock, its history or evidence speaks", async () => {
  const unused = Array.from({ length: 7 }, (_, index) => tag(`unused ${index}`));
  const others = [
    tag("locked"),
    tag("locked since"),
    tag("locked long ago"),
    tag("young", { registeredAt: OLD + 1, reviewAt: NOW + 1 }),
    tag("imported", { gattVersion: "2.1", reviewAt: null }),
  ];
  await db.insert(devices).values([...unused, ...others]);
  const aliases = unused.flatMap(({ id }) => [1, 2].map((n) => ({ alias: `${id} as ${n}`, deviceId: id })));
  await db.insert(deviceAliases).values(aliases);
  await db.insert(deviceTicketLocks).values(lockRow("locked", NOW + DAY));
  await locked("locked since", OLD + DAY);
  await locked("locked long ago", OLD);
  const forgotten = [await run(), await run(), await run(), await run()];
  expect(forgotten.reduce((a, b) => a + b)).toBe(8);
  expect(await left()).toEqual(["imported", "locked", "locked since", "young"]);
  expect(await db.$count(deviceAliases)).toBe(0);
});

it("and are looked at again as long after their last lock", async () => {
  await db.insert(devices).values(tag("locked since"));
  await locked("locked since", OLD + DAY);
  expect([await run(NOW), await run(NOW + DAY - 1)]).toEqual([0, 0]);
  expect(await left()).toEqual(["locked since"]);
  expect(await run(NOW + DAY)).toBe(1);
});

it("but none where only an operator registers tags", async () => {
  await db.insert(devices).values(tag("unused"));
  expect(await run(NOW, { DEVICE_REGISTRY: "closed" })).toBe(0);
  expect(await left()).toEqual(["unused"]);
});

it("after a week, where only claims made them known", async () => {
  const guest = await guestSession(service);
  await guest.call("deviceAttachment", { device: { uniqueID: "claimed" }, baggageId: 1 });
  const due = service.now() + 7 * DAY;
  await db.delete(deviceTicketLocks);
  expect([await run(due - 1), await run(due)]).toEqual([0, 1]);
});

it("so that they may be attached again", async () => {
  const device = { uniqueID: "claimed-tag", mac: "02:00:00:00:00:01" };
  const attach = async (session: TestSession) =>
    (await session.call("deviceAttachment", { device, baggageId: 1 })).status;
  const guest = await withBookings(service, await guestSession(service));
  expect(await attach(guest)).toBe(200);
  await guest.call("ebtUnlock", { uniqueDeviceId: device.uniqueID });
  const [row] = await db.select().from(devices).where(eq(devices.id, device.uniqueID));
  const later = service.now() + 400 * DAY;
  expect(row?.reviewAt).toBe(later);
  expect(await run(later)).toBe(1);
  // Sessions and bookings are over as well.
  expect(await attach(await guestSession(await startService()))).toBe(200);
});
