import { eq, like } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, bags, deviceTicketLocks, journeys, travelPlans } from "../../db/schema.ts";
import { bsmDay, bsmText, type PrintedMessage } from "../test-support/baggage-message-text.ts";
import { dayAhead, TOMORROW } from "../test-support/days.ts";
import { startFeedingInterrupted } from "../test-support/feeds.ts";
import type { Interruption } from "../test-support/guarded-database.ts";
import type { TestSession } from "../test-support/logins.ts";
import { changeRow, lockRow } from "../test-support/rows.ts";
import { expectError, scheduledRun, type TestService } from "../test-support/service.ts";

/** Baggage messages while tags are locked, locks end, and others feed the same booking. */

const TAG = "ebt-20-0006";

let service: TestService;
let staff: TestSession;
let beforeCall: Interruption["beforeCall"];
beforeEach(async () => {
  ({ service, staff, beforeCall } = await startFeedingInterrupted());
});

/** Of the bag 2 of the development data, unless it says otherwise. */
const bsm = (message: Partial<PrintedMessage>) =>
  bsmText({ date: TOMORROW, locator: "ABC123", name: "LOVELACE/ADA", plates: "0117123457001", ...message });
const take = async (message: Partial<PrintedMessage>) =>
  (await staff.call("baggageSourceMessages", { message: bsm(message) })).body.results[0];
const attach = () => staff.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 2 });
/** The same, as a statement: a concurrent change makes no request of its own. */
const lock = (endsIn: number) =>
  service.db.insert(deviceTicketLocks).values(lockRow(TAG, service.now() + endsIn, { baggageId: 2 }));
const withdraw = () =>
  staff.call("journeysFromAirlinePayload", {
    ...{ airline: "SK", recordLocator: "ABC123", withdraw: "booking" },
    flights: [{ carrier: "SK", number: "1234", date: TOMORROW, from: "OSL", to: "ARN" }],
    passengers: [{ surname: "LOVELACE", givenName: "ADA" }],
  });
const isLocked = async () => (await staff.call("ebtLookup", { uniqueDeviceId: TAG })).body.locked as boolean;

describe("a lock that is over", () => {
  it("is not brought back by a later flight", async () => {
    await attach();
    await service.db.update(deviceTicketLocks).set({ endsAt: service.now() });
    expect(await take({ action: "CHG", date: dayAhead(3), flights: ["SK1234/ARN"] })).toMatchObject({
      outcome: "applied",
    });
    expect(await isLocked()).toBe(false);
  });

  it("does not stop a withdrawal, and stays until a scheduled run records its end", async () => {
    await lock(0);
    expect((await withdraw()).body).toEqual({ journeys: [] });
    expect(await service.db.$count(deviceTicketLocks)).toBe(1);
    await scheduledRun(service.now(), {});
    const ended = await service.db.select().from(auditLog).where(eq(auditLog.event, "lock_ended"));
    expect(ended).toMatchObject([{ deviceId: TAG, airline: "SK" }]);
  });

  it("does not stop the removal of a bag", async () => {
    await lock(0);
    expect(await take({ action: "DEL" })).toMatchObject({ outcome: "applied" });
  });
});

it("a message whose flights are past ends no booking, and no lock with it", async () => {
  await attach();
  for (const more of [[], [`.O/SK0999/${bsmDay(dayAhead(-4))}/HEL/Y`]]) {
    const date = more.length === 0 ? dayAhead(-4) : TOMORROW;
    const refused = { outcome: "refused", errorCode: "journey_not_found" };
    expect(await take({ action: "CHG", date, flights: ["SK1234/ARN"], more })).toMatchObject(refused);
  }
  expect(await isLocked()).toBe(true);
});

describe("between reading and writing", () => {
  const whenWriting = 3;

  it("a bag with a locked tag stays, and the answer reports it", async () => {
    beforeCall(whenWriting, () => lock(60_000));
    expect(await take({ action: "DEL" })).toMatchObject({ outcome: "refused", errorCode: "device_locked" });
    expect(await service.db.$count(bags, eq(bags.id, 2))).toBe(1);
  });

  const isGone = () => service.db.delete(travelPlans).where(eq(travelPlans.id, "demo-plan-1"));

  it("a booking that is withdrawn fails no message, and gets no passenger", async () => {
    beforeCall(whenWriting, isGone);
    const message = bsm({ name: "NOETHER/EMMY", plates: "0117710000001" });
    expect((await staff.call("baggageSourceMessages", { message })).status).toBe(200);
    expect(await service.db.$count(journeys, eq(journeys.planId, "demo-plan-1"))).toBe(0);
  });

  it("a booking without locked tags is withdrawn by a concurrent request", async () => {
    beforeCall(whenWriting, isGone);
    expect((await withdraw()).body).toEqual({ journeys: [] });
  });

  it("bags that others add count towards the ten a journey has", async () => {
    const others = Array.from({ length: 6 }, (_, i) => ({
      ...{ journeyId: "demo-journey-1", licencePlate: `011770000${i}`, flightDate: TOMORROW, requestId: "r" },
    }));
    beforeCall(whenWriting, () => service.db.insert(bags).values(others));
    await take({ plates: "0117710000005" });
    expect(await service.db.$count(bags, eq(bags.journeyId, "demo-journey-1"))).toBe(10);
  });
});

it("a booking that is past is not touched by a message of its bags", async () => {
  await changeRow(service.db, travelPlans, "demo-plan-1", { endsAt: service.now() });
  expect(await take({ action: "CHG", flights: ["SK1460/CPH"] })).toMatchObject({
    outcome: "refused",
    errorCode: "baggage_not_found",
  });
  expect(await take({ action: "DEL" })).toMatchObject({ outcome: "unchanged" });
});

it("a bag that moves with its flights stays where it was when its plate is in use on the new day", async () => {
  const day = dayAhead(20);
  await service.db.insert(bags).values({
    ...{ journeyId: "demo-journey-3", licencePlate: "0117123457", flightDate: day, requestId: "r" },
  });
  expect(await take({ action: "CHG", date: dayAhead(5), flights: ["SK1234/ARN"] })).toMatchObject({
    outcome: "applied",
  });
  await take({ action: "CHG", date: day, flights: ["SK1234/ARN"], plates: "0117123456001" });
  const rows = await service.db.select().from(bags).where(like(bags.licencePlate, "0117123457"));
  expect(rows.map(({ flightDate }) => flightDate).sort()).toEqual([dayAhead(5), day]);
});

/** A feed ends no lock early (rules §4): a bag that flies tomorrow keeps its tag, even from a session with `journey:write`. */

const HOUR = 3_600_000;
const at = (day: number, time: string) => `${dayAhead(day)}T${time}:00.000Z`;
/** Milliseconds, from the beginning (UTC) of the day of the flight. */
const afterTomorrow = (hours: number) => Date.parse(TOMORROW) + hours * HOUR;

interface Fed {
  /** Of the last flight; the one before flies tomorrow. */
  readonly day?: number;
  readonly arrival?: string;
  readonly number?: string;
  readonly cabin?: string;
}

const send = ({ day = 1, arrival, number = "1720", cabin = "ECONOMY" }: Fed = {}) =>
  staff.call("journeysFromAirlinePayload", {
    ...{ airline: "SK", recordLocator: "LOCK01" },
    flights: [
      { carrier: "SK", number: "1460", date: TOMORROW, from: "OSL", to: "CPH" },
      {
        ...{ carrier: "SK", number, date: dayAhead(day), from: "CPH", to: "HEL" },
        ...(arrival && { scheduledArrival: arrival }),
      },
    ],
    passengers: [{ surname: "NOETHER", givenName: "EMMY", cabin, baggage: [{ licencePlate: "0117840001" }] }],
  });
const lockEnd = async () => {
  const [lock] = await service.db.select().from(deviceTicketLocks).where(eq(deviceTicketLocks.deviceId, TAG));
  return lock?.endsAt;
};
const change = async (message: Partial<PrintedMessage>) =>
  (
    await staff.call("baggageSourceMessages", {
      message: bsmText({
        ...{ action: "CHG", date: TOMORROW, locator: "LOCK01", name: "NOETHER/EMMY" },
        ...{ plates: "0117840001001", flights: ["SK1460/CPH", "SK1720/HEL"], ...message },
      }),
    })
  ).body.results[0];

/** A bag that flies tomorrow, or as `fed` says, with a locked tag. Returns the lock's end. */
async function withLock(fed: Fed = {}): Promise<number> {
  const { body } = await send(fed);
  const { baggageId } = body.journeys[0].baggage[0];
  expect((await staff.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId })).status).toBe(200);
  return (await lockEnd()) ?? 0;
}

describe("an arrival before its flight's date", () => {
  it("is refused, locked or not, beyond the day by which zones may differ", async () => {
    const answer = await send({ arrival: at(-1, "23:59") });
    expectError(answer, "invalid_request");
    expect(answer.body.errors).toEqual(["flights.1.scheduledArrival must not be before date"]);
    expect((await send({ arrival: at(0, "00:00") })).status).toBe(200);
  });
});

describe("an update that would end a lock", () => {
  it.each<[string, Fed]>([
    [
      "by an arrival that leaves 23 hours and 59 minutes after the day of the flight",
      { arrival: at(1, "23:59") },
    ],
    ["by another flight, with an arrival before it", { number: "1400", arrival: at(0, "12:00") }],
  ])("%s is refused, and changes nothing", async (_, fed) => {
    const end = await withLock();
    expect(end).toBe(afterTomorrow(72));
    expectError(await send({ ...fed, cabin: "BUSINESS" }), "device_locked");
    expect(await lockEnd()).toBe(end);
    const { body } = await send();
    expect(body.journeys[0]).toMatchObject({ cabin: "ECONOMY", version: 1 });
  });

  it("is refused while the lock is only claimed, too", async () => {
    await withLock();
    await service.db.update(deviceTicketLocks).set({ entitled: false, endsAt: service.now() + 24 * HOUR });
    expectError(await send({ arrival: at(0, "00:00") }), "device_locked");
  });

  it("is taken where no lock is alive", async () => {
    await withLock();
    await service.db.update(deviceTicketLocks).set({ endsAt: service.now() });
    expect((await send({ arrival: at(0, "00:01") })).status).toBe(200);
  });

  it("by a message of a flight that was two days ago, far from the day it had, is refused", async () => {
    const end = await withLock({ day: 5 });
    expect(await change({ date: dayAhead(-2) })).toMatchObject({
      ...{ outcome: "refused", errorCode: "device_locked" },
      errors: ["line 1: the lock of a tag would end too early"],
    });
    expect(await lockEnd()).toBe(end);
  });

  it("as a message is refused alone, and the next one of the request is taken", async () => {
    const end = await withLock();
    const { body } = await staff.call("baggageSourceMessages", {
      message: ["-2", "1"]
        .map((day) =>
          bsmText({
            ...{ action: "CHG", date: dayAhead(Number(day)), locator: "LOCK01", name: "NOETHER/EMMY" },
            ...{ plates: "0117840001001", flights: ["SK1460/CPH"], more: [".E/PRIO"] },
          }),
        )
        .join(""),
    });
    expect(body.results).toMatchObject([
      { outcome: "refused", errorCode: "device_locked" },
      { outcome: "applied" },
    ]);
    expect(await lockEnd()).toBe(end);
  });
});

describe("an update always passes that", () => {
  it.each<[string, Fed, Fed, number]>([
    ["delays the arrival", { arrival: at(1, "18:00") }, { arrival: at(1, "21:00") }, 45],
    ["delays the flight by a day", { arrival: at(1, "18:00") }, { day: 2, arrival: at(2, "18:00") }, 66],
    ["delays it to the next day, and says when", {}, { day: 2, arrival: at(2, "18:00") }, 66],
    ["leaves the lock 24 hours after the day of the flight", {}, { arrival: at(2, "00:00") }, 48],
    ["rebooks to an earlier flight", { day: 5 }, { day: 1, number: "1400" }, 72],
  ])("%s", async (_, before, after, hours) => {
    await withLock(before);
    expect((await send(after)).status).toBe(200);
    expect(await lockEnd()).toBe(afterTomorrow(hours));
  });

  it("takes a first time of arrival before the lock is made, and then keeps it", async () => {
    await send();
    expect(await withLock({ arrival: at(1, "12:00") })).toBe(afterTomorrow(36));
    expect((await send({ arrival: at(1, "12:00") })).status).toBe(200);
  });

  it.each([
    ["to another flight of the day", 1, 72],
    ["to a flight of today", 0, 48],
    ["to one of yesterday, which west of here is today", -1, 24],
  ])("is a message that moves the flights %s", async (_, day, hours) => {
    await withLock();
    expect(await change({ date: dayAhead(day), flights: ["SK1462/CPH"] })).toMatchObject({
      outcome: "applied",
    });
    expect(await lockEnd()).toBe(afterTomorrow(hours));
  });
});

it("a lock that is made between read and write of an update ends no earlier either", async () => {
  const { body } = await send();
  const [{ journeyId, baggage }] = body.journeys;
  const { baggageId } = baggage[0];
  beforeCall(3, async () => {
    const [journey] = await service.db.select().from(journeys).where(eq(journeys.id, journeyId));
    const of = { planId: journey?.planId ?? "", journeyId, baggageId };
    await service.db.insert(deviceTicketLocks).values(lockRow(TAG, afterTomorrow(72), of));
  });
  await send({ arrival: at(0, "00:01") });
  expect(await lockEnd()).toBe(afterTomorrow(48));
});
