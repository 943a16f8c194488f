import { eq, like } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, bags, deviceTicketLocks, journeys, travelPlans } from "../../db/schema.ts";
import { bsmDay, bsmText, type PrintedMessage } from "../test-support/baggage-message-text.ts";
import { dayAhead, TOMORROW } from "../test-support/days.ts";
import { startFeedingInterrupted } from "../test-support/feeds.ts";
import type { Interruption } from "../test-support/guarded-database.ts";
import type { TestSession } from "../test-support/logins.ts";
import { changeRow, lockRow } from "../test-support/rows.ts";
import { scheduledRun, type TestService } from "../test-support/service.ts";

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

describe("a message whose flights are past", () => {
  it("ends no booking, and no lock with it", async () => {
    await attach();
    for (const more of [[], [`.O/SK0999/${bsmDay(dayAhead(-4))}/HEL/Y`]]) {
      const date = more.length === 0 ? dayAhead(-4) : TOMORROW;
      const refused = { outcome: "refused", errorCode: "journey_not_found" };
      expect(await take({ action: "CHG", date, flights: ["SK1234/ARN"], more })).toMatchObject(refused);
    }
    expect(await isLocked()).toBe(true);
  });
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

describe("a booking that is past", () => {
  it("is not touched by a message of its bags", async () => {
    await changeRow(service.db, travelPlans, "demo-plan-1", { endsAt: service.now() });
    expect(await take({ action: "CHG", flights: ["SK1460/CPH"] })).toMatchObject({
      outcome: "refused",
      errorCode: "baggage_not_found",
    });
    expect(await take({ action: "DEL" })).toMatchObject({ outcome: "unchanged" });
  });
});

describe("a bag that moves with its flights", () => {
  it("stays where it was when its plate is in use on the new day", async () => {
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
});
