import { env } from "cloudflare:workers";
import { eq, notLike, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import * as schema from "../../db/schema.ts";
import { connect } from "../database/connect.ts";
import { guestSession, type TestSession, withBookings } from "../test-support/logins.ts";
import { lockRow } from "../test-support/rows.ts";
import { scheduledRun, startClean, startService, type TestService } from "../test-support/service.ts";

/** What scheduled runs erase, delete and keep of a booking that has ended. */

const NOW = Date.now();
const DAY = 86_400_000;
const db = connect(env.DB);
/** Small batches: five bookings are more than one. */
const VARS = { SWEEP_ROWS_PER_STATEMENT: "3", SWEEP_STATEMENTS_PER_RUN: "200", BOOKINGS_PER_ERASURE: "2" };
const PLATE = "0117999999";
const PLATES: Readonly<Record<string, string>> = { past: PLATE };
const run = (at = NOW) => scheduledRun(at, VARS);
const each = <T>(length: number, row: (index: number) => T) =>
  Array.from({ length }, (_, index) => row(index));

let service: TestService;
beforeEach(async () => {
  service = await startClean();
});

describe("personal data of past bookings", () => {
  async function book(id: string, endsAt: number): Promise<void> {
    const rows = each(2, (index) => ({
      ...{ id: `${id} journey ${index}`, planId: id, passengerSealed: "sealed", surnameTokens: "tokens" },
      ...{ surnameInitial: "L", departureAirport: "OSL", destinationAirport: "ARN" },
    }));
    const sealed = { locatorHash: `hash of ${id}`, locatorSealed: `sealed ${id}` };
    await db.batch([
      db
        .insert(schema.travelPlans)
        .values({ id, airline: "SK", ...sealed, firstFlightDate: "2026-01-01", endsAt }),
      db.insert(schema.journeys).values(rows),
      db.insert(schema.flights).values({
        ...{ journeyId: `${id} journey 0`, position: 0, carrier: "SK", number: "1", date: "2026-01-01" },
        ...{ from: "OSL", to: "ARN" },
      }),
      db.insert(schema.bags).values({
        ...{
          journeyId: `${id} journey 0`,
          position: 1,
          licencePlate: PLATES[id] ?? `plate of ${id}`,
          flightDate: "2026-01-01",
        },
      }),
      db.insert(schema.clearMarks).values({
        ...{
          deviceId: `tag of ${id}`,
          sub: "s",
          planId: id,
          cti: "00",
          clearedAt: NOW,
          endsAt: NOW + 7 * DAY,
        },
      }),
      db.insert(schema.loadedPlans).values({ sub: "s", planId: id, loadedAt: NOW }),
      db.insert(schema.delegations).values({ id: `of ${id}`, planId: id, holderSub: "s", delegateSub: "t" }),
      db.insert(schema.devices).values({
        ...{ id: `tag of ${id}`, label: id, registeredAt: NOW, reviewAt: null },
        ...{ endedPlanId: id, endedHolderSub: "s", endedReason: "holder", endedAt: NOW },
      }),
    ]);
  }

  const planIds = async () =>
    (await db.select({ id: schema.travelPlans.id }).from(schema.travelPlans))
      .map(({ id }) => id)
      .filter((id) => !id.startsWith("demo-"));

  it("go at the end of the booking with all its rows, in several batches", async () => {
    for (let index = 0; index < 5; index += 1) await book(`past ${index}`, NOW - index);
    await book("coming", NOW + 1);
    expect((await run()).swept).toEqual({ personalData: 5, personalLinks: 5, bookings: 5 });
    expect(await planIds()).toEqual(["coming"]);
    for (const table of [schema.journeys, schema.loadedPlans, schema.delegations]) {
      expect(await db.$count(table, sql`plan_id like 'past %'`)).toBe(0);
      expect(await db.$count(table, sql`plan_id = 'coming'`)).toBeGreaterThan(0);
    }
    for (const table of [schema.flights, schema.bags]) {
      expect(await db.$count(table, sql`journey_id like 'past %'`)).toBe(0);
      expect(await db.$count(table, sql`journey_id like 'coming %'`)).toBe(1);
    }
    expect(await db.select().from(schema.devices).where(sql`ended_holder_sub is not null`)).toMatchObject([
      { id: "tag of coming", endedPlanId: "coming" },
    ]);
    const [coming] = await db.select().from(schema.journeys).where(eq(schema.journeys.planId, "coming"));
    expect(coming).toMatchObject({ passengerSealed: "sealed", surnameTokens: "tokens", surnameInitial: "L" });
    expect((await run()).swept).toEqual({});
  });

  it("leave clears that are remembered, for the person alone", async () => {
    await book("past", NOW);
    await book("coming", NOW + 1);
    await run();
    const marks = await db.select().from(schema.clearMarks).orderBy(schema.clearMarks.deviceId);
    expect(marks.map(({ deviceId, sub, planId }) => [deviceId, sub, planId])).toEqual([
      ["tag of coming", "s", "coming"],
      ["tag of past", "s", null],
    ]);
  });

  it("and codes of delegations that were not confirmed in time go before", async () => {
    await book("coming", NOW + 1);
    const waiting = (id: string, endsAt: number) => ({
      id,
      planId: "coming",
      holderSub: "s",
      codeHash: id,
      endsAt,
    });
    await db.insert(schema.delegations).values([waiting("over", NOW), waiting("open", NOW + 1)]);
    expect((await run()).swept).toEqual({ delegations: 1 });
    expect((await db.select().from(schema.delegations)).map(({ id }) => id)).toEqual(["of coming", "open"]);
  });

  it("leave plates and ids of bags, which rest two weeks", async () => {
    // The development data's bookings end, too.
    const rests = () =>
      db
        .select({ plate: schema.pastBags.licencePlate, flightDay: schema.pastBags.flightDay })
        .from(schema.pastBags)
        .where(eq(schema.pastBags.licencePlate, Number(PLATE)));
    await book("past", NOW);
    const [bag] = await db.select().from(schema.bags).where(eq(schema.bags.licencePlate, PLATE));
    await run(NOW);
    expect(await db.select({ id: schema.pastBags.id }).from(schema.pastBags)).toEqual([{ id: bag?.id }]);
    await run(NOW + 14 * DAY);
    expect(await rests()).toEqual([{ plate: 117_999_999, flightDay: Date.UTC(2026, 0, 1) / DAY }]);
    expect((await run(NOW + 15 * DAY)).swept).toHaveProperty("pastBags");
    expect(await rests()).toEqual([]);
  });

  it("go, and the rest of the booking stays, while a lock on it lives", async () => {
    await book("live", NOW - 15 * DAY);
    const booking = { planId: "live", journeyId: "live journey 0" };
    await db.insert(schema.deviceTicketLocks).values(lockRow("tag of live", NOW + 30 * DAY, booking));
    await run();
    await run();
    expect(await db.select().from(schema.travelPlans).where(eq(schema.travelPlans.id, "live"))).toMatchObject(
      [{ locatorHash: "erased:live", locatorSealed: "", erasedAt: NOW }],
    );
    expect(await db.select().from(schema.journeys).where(eq(schema.journeys.planId, "live"))).toMatchObject(
      each(2, () => ({ passengerSealed: null, surnameTokens: "", surnameInitial: "" })),
    );
  });
});

/** Scheduled runs delete tags that callers registered without a certificate and that were not locked for 400 days. */

const OLD = NOW - 400 * DAY;
const NOT_OF_DEMO = notLike(schema.devices.id, "ebt-2_-000_");

/** One run, three rows at a time, where the whole audit log is in the database: how many tags it forgot. */
async function forgotten(now = NOW, vars: Readonly<Record<string, unknown>> = {}): Promise<number> {
  const { swept } = await scheduledRun(now, { SWEEP_ROWS_PER_STATEMENT: "3", ARCHIVE: undefined, ...vars });
  return (swept as { readonly devices?: number }).devices ?? 0;
}
const tag = (id: string, more: Partial<typeof schema.devices.$inferInsert> = {}) => ({
  ...{ id, label: id, registeredAt: OLD, entitledAt: OLD, reviewAt: NOW, ...more },
});
const tagsLeft = async () =>
  (await db.select().from(schema.devices).where(NOT_OF_DEMO)).map(({ id }) => id).sort();
const locked = (deviceId: string, at: number) =>
  db.insert(schema.auditLog).values({ at, event: "lock_ended", requestId: "r", deviceId });

it("tags are forgotten in small batches and with their aliases, but none for which a lock, its history or evidence speaks", async () => {
  const unused = Array.from({ length: 7 }, (_, index) => tag(`unused ${index}`));
  const others = [
    tag("locked"),
    tag("locked since"),
    tag("locked long ago"),
    tag("young", { registeredAt: OLD + 1, reviewAt: NOW + 1 }),
    tag("imported", { gattVersion: "2.1", reviewAt: null }),
  ];
  await db.insert(schema.devices).values([...unused, ...others]);
  const aliases = unused.flatMap(({ id }) => [1, 2].map((n) => ({ alias: `${id} as ${n}`, deviceId: id })));
  await db.insert(schema.deviceAliases).values(aliases);
  await db.insert(schema.deviceTicketLocks).values(lockRow("locked", NOW + DAY));
  await locked("locked since", OLD + DAY);
  await locked("locked long ago", OLD);
  const times = [await forgotten(), await forgotten(), await forgotten(), await forgotten()];
  expect(times.reduce((a, b) => a + b)).toBe(8);
  expect(await tagsLeft()).toEqual(["imported", "locked", "locked since", "young"]);
  expect(await db.$count(schema.deviceAliases)).toBe(0);
});

it("tags are looked at again as long after their last lock", async () => {
  await db.insert(schema.devices).values(tag("locked since"));
  await locked("locked since", OLD + DAY);
  expect([await forgotten(NOW), await forgotten(NOW + DAY - 1)]).toEqual([0, 0]);
  expect(await tagsLeft()).toEqual(["locked since"]);
  expect(await forgotten(NOW + DAY)).toBe(1);
});

it("tags are forgotten nowhere where only an operator registers tags", async () => {
  await db.insert(schema.devices).values(tag("unused"));
  expect(await forgotten(NOW, { DEVICE_REGISTRY: "closed" })).toBe(0);
  expect(await tagsLeft()).toEqual(["unused"]);
});

it("tags are forgotten after a week, where only claims made them known", async () => {
  const guest = await guestSession(service);
  await guest.call("deviceAttachment", { device: { uniqueID: "claimed" }, baggageId: 1 });
  const due = service.now() + 7 * DAY;
  await db.delete(schema.deviceTicketLocks);
  expect([await forgotten(due - 1), await forgotten(due)]).toEqual([0, 1]);
});

it("tags that were forgotten may be attached again", async () => {
  const device = { uniqueID: "claimed-tag", mac: "02:00:00:00:00:01" };
  const attach = async (session: TestSession) =>
    (await session.call("deviceAttachment", { device, baggageId: 1 })).status;
  const guest = await withBookings(service, await guestSession(service));
  expect(await attach(guest)).toBe(200);
  await guest.call("ebtUnlock", { uniqueDeviceId: device.uniqueID });
  const [row] = await db.select().from(schema.devices).where(eq(schema.devices.id, device.uniqueID));
  const later = service.now() + 400 * DAY;
  expect(row?.reviewAt).toBe(later);
  expect(await forgotten(later)).toBe(1);
  // Sessions and bookings are over as well.
  expect(await attach(await guestSession(await startService()))).toBe(200);
});
