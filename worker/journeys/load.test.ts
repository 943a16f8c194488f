import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { Journey, parseBody } from "../../core/api/index.ts";
import { OLDER_UNTIL, storedTokens } from "../../core/bag/surname.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { deviceTicketLocks, flights, journeys, loadedPlans, travelPlans } from "../../db/schema.ts";
import { boardingPassText } from "../test-support/boarding-pass-text.ts";
import { attestedSession, guestSession, staffSession, type TestSession } from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { expectError, startClean, type TestService } from "../test-support/service.ts";

let service: TestService;
let guest: TestSession;
beforeEach(async () => {
  service = await startClean();
  guest = await guestSession(service);
});

const load = (session: TestSession, recordLocator: unknown, surname: unknown) =>
  session.call("journeyFromRecordLocator", { recordLocator, surname });

describe("loading a journey by record locator and surname", () => {
  it("gives the whole journey, as the contract describes it", async () => {
    const answer = await load(guest, "ABC123", "LOVELACE");
    expect(answer.status).toBe(200);
    expect(parseBody(Journey, answer.body)).toEqual({ ok: true, value: answer.body });
    const tomorrow = new Date(service.now() + 86_400_000).toISOString().slice(0, 10);
    expect(answer.body).toMatchObject({
      recordLocator: "ABC123",
      passenger: { surname: "LOVELACE", givenName: "ADA" },
      flights: [
        { carrier: "SK", number: "1234", date: tomorrow, from: "OSL", to: "ARN" },
        { carrier: "SK", number: "0999", date: tomorrow, from: "ARN", to: "HEL" },
      ],
      baggage: [
        { baggageId: 1, licencePlate: "0117123456" },
        { baggageId: 2, licencePlate: "0117123457" },
      ],
      departureAirport: "OSL",
      destinationAirport: "HEL",
    });
    expect(answer.body.baggage[0]).not.toHaveProperty("attachedDevice");
    expect(answer.body).not.toHaveProperty("companions");
    expect(answer.headers.has("Server-Timing")).toBe(false);
  });

  it.each([
    ["K7Q2ZD", "MÜLLER"],
    ["OB1NKE", "O’Brien MR"],
  ])("takes %j with %j", async (locator, surname) => {
    expect((await load(guest, locator, surname)).status).toBe(200);
  });

  it.each([
    ["ABC123", "MÜLLER"],
    ["K7Q2ZD", "MÜLLE"],
    ["ABC124", "LOVELACE"],
  ])("finds nothing under %j with %j", async (locator, surname) => {
    expectError(await load(guest, locator, surname), "journey_not_found");
  });

  it("no longer finds a booking that is past", async () => {
    await changeRow(service.db, travelPlans, "demo-plan-1", { endsAt: service.now() });
    expectError(await load(guest, "ABC123", "LOVELACE"), "journey_not_found");
    expect(await service.db.select().from(loadedPlans)).toEqual([]);
  });

  it("no longer shows a passenger whose name has been erased", async () => {
    await changeRow(service.db, journeys, "demo-journey-1", { passengerSealed: null });
    expectError(await load(guest, "ABC123", "LOVELACE"), "journey_not_found");
  });

  it("shows the companions of the same booking", async () => {
    await changeRow(service.db, journeys, "demo-journey-3", { planId: "demo-plan-1" });
    const answer = await load(guest, "ABC123", "LOVELACE");
    expect(answer.body.companions).toHaveLength(1);
    expect(answer.body.companions[0]).toMatchObject({ passenger: { surname: "O'BRIEN" } });
  });

  it("makes the plan the caller's own, for passengers only", async () => {
    await load(guest, "ABC123", "LOVELACE");
    await load(await staffSession(service), "OB1NKE", "O'BRIEN");
    const rows = await service.db.select().from(loadedPlans);
    expect(rows.map(({ planId }) => planId)).toEqual(["demo-plan-1"]);
  });
});

describe("the caller's own journeys", () => {
  it("are none at first, then those that were loaded, the same as when they were", async () => {
    expect((await guest.call("journeys", {})).body).toEqual({ journeys: [] });
    const loaded = await load(guest, "ABC123", "LOVELACE");
    const list = await guest.call("journeys");
    expect(list.body).toEqual({ journeys: [loaded.body] });
    expect(list.headers.get("Server-Timing")).toMatch(/desc="1"/);
    const one = await guest.call("journey", {}, {}, `/v2/journeys/${loaded.body.journeyId}`);
    expect(one.body).toEqual(loaded.body);
  });

  it("are no more once their booking is past", async () => {
    await load(guest, "ABC123", "LOVELACE");
    await changeRow(service.db, travelPlans, "demo-plan-1", { endsAt: service.now() });
    expect((await guest.call("journeys")).body).toEqual({ journeys: [] });
    expectError(await guest.call("journey", {}, {}, "/v2/journeys/demo-journey-1"), "journey_not_found");
  });

  it("name the tag a bag is on until its lock is over, swept or not", async () => {
    await load(guest, "ABC123", "LOVELACE");
    await guest.call("deviceAttachment", { device: { uniqueID: "ebt-21-0001" }, baggageId: 1 });
    const attached = async () => (await guest.call("journeys")).body.journeys[0].baggage[0].attachedDevice;
    expect(await attached()).toBe("ebt-21-0001");
    await service.db.update(deviceTicketLocks).set({ endsAt: service.now() });
    expect(await attached()).toBeUndefined();
  });

  it("are no other caller's", async () => {
    const { body } = await load(guest, "ABC123", "LOVELACE");
    const stranger = await attestedSession(service);
    const foreign = await stranger.call("journey", {}, {}, `/v2/journeys/${body.journeyId}`);
    const unknown = await stranger.call("journey", {}, {}, "/v2/journeys/no-such-journey");
    expectError(foreign, "journey_not_found");
    expect(foreign.text).toBe(unknown.text);
    expect((await stranger.call("journeys")).body).toEqual({ journeys: [] });
  });

  it("may be any of their airlines' for staff", async () => {
    const staff = await staffSession(service);
    expect((await staff.call("journey", {}, {}, "/v2/journeys/demo-journey-1")).status).toBe(200);
    expectError(await staff.call("journey", {}, {}, "/v2/journeys/demo-journey-2"), "journey_not_found");
  });
});

/** Names that were stored before the folding changed: `Lord-Jones` was `JONES`. */

const DAY = 86_400_000;
const TAG = "ebt-21-0001";

/** A service on the day of `now`; Ada is a Lord-Jones whose name was stored long ago, and holds a tag. */
async function startOn(now: number) {
  const service = await startClean();
  service.advance((now - service.now()) / 1_000);
  const date = new Date(now + DAY).toISOString().slice(0, 10);
  const tokens = await storedTokens(service.settings.pepperKey, "ABC123", "Jones");
  const { db } = service;
  await db.batch([
    changeRow(db, travelPlans, "demo-plan-1", { endsAt: now + 3 * DAY }),
    db.update(flights).set({ date }).where(eq(flights.journeyId, "demo-journey-1")),
    changeRow(db, journeys, "demo-journey-1", { surnameTokens: toBase64Url(tokens) }),
  ]);
  const holder = await guestSession(service);
  await holder.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 1 });
  const caller = await guestSession(service);
  const booking = { recordLocator: "ABC\u00ad123\u200f", surname: "Lord-Jones" };
  const leg = { recordLocator: "ABC123", flight: "SK1234", route: "OSL-ARN", date } as const;
  const answers = [
    await caller.call("ebtCustodyProof", { uniqueDeviceId: TAG, ...booking }),
    await caller.call("journeyFromRecordLocator", booking),
    await caller.call("journeyFromBcbp", { scanData: boardingPassText("LORD-JONES/ADA", [leg]) }),
  ];
  return answers.map(({ status }) => status);
}

describe("a name stored in the older folding", () => {
  it("is found by proofs and look-ups alike until the day", async () => {
    expect(await startOn(OLDER_UNTIL - 1_000)).toEqual([200, 200, 200]);
  });

  it("is found by none of them from the day on", async () => {
    expect(await startOn(OLDER_UNTIL + 1_000)).toEqual([422, 404, 404]);
  });
});
