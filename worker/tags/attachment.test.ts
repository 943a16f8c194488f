import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { clients, devices, deviceTicketLocks, travelPlans } from "../../db/schema.ts";
import {
  ADA,
  guestSession,
  startWithTwoGuests,
  type TestSession,
  withBookings,
} from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { expectError, type TestService } from "../test-support/service.ts";

const TAG = "ebt-21-0001";
const MAC = "A4:C1:38:0B:6E:2F";
const GUID = "123e4567-e89b-12d3-a456-426614174000";

/** What an attachment locks, and attacks by callers who never touch the tag: each was, or could be, done to the service. */

let service: TestService;
let guest: TestSession;
let stranger: TestSession;
beforeEach(async () => {
  ({ service, guest, stranger } = await startWithTwoGuests());
});

const attach = (session: TestSession, device: object = { uniqueID: TAG }, baggageId = 1) =>
  session.call("deviceAttachment", { device, baggageId });
const isLocked = async (uniqueDeviceId: string) =>
  (await stranger.call("ebtLookup", { uniqueDeviceId })).body.locked;
const locks = () => service.db.select().from(deviceTicketLocks);
const setFlags = (flags: object) => changeRow(service.db, clients, "client-passenger", { flags });

describe("an attachment", () => {
  it("locks the tag to the bag's journey until the booking is past", async () => {
    const answer = await attach(guest);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...{ uniqueDeviceId: TAG, baggageId: 1, journeyId: "demo-journey-1", locked: true },
      lockedAt: new Date(service.now()).toISOString(),
    });
    const [plan] = await service.db.select().from(travelPlans).where(eq(travelPlans.id, "demo-plan-1"));
    expect(await locks()).toMatchObject([
      { deviceId: TAG, planId: plan?.id, baggageId: 1, endsAt: plan?.endsAt },
    ]);
  });

  it("stores the make of the tag in letters, and reads it as it was stored before there were any", async () => {
    const make = {
      ...{ ccid: "8931", tagName: "tag", bagTagModel: "BT-2", batteryPercentage: 80, firmwareVersion: "1.2" },
    };
    const read = async () => (await service.db.select().from(devices).where(eq(devices.id, TAG)))[0]?.model;
    await attach(guest, { uniqueID: TAG, ...make, serialNumber: "7" });
    const stored = await service.db.get<{ model: string }>(sql`select model from devices where id = ${TAG}`);
    const letters = { c: "8931", n: "tag", m: "BT-2", b: 80, f: "1.2", s: "7" };
    expect(JSON.parse(stored?.model ?? "")).toEqual(letters);
    expect(await read()).toEqual({ ...make, serialNumber: "7" });
    await service.db.run(sql`update devices set model = ${JSON.stringify(make)} where id = ${TAG}`);
    expect(await read()).toEqual(make);
  });

  it("names the other tags of its bag, latest first, to an entitled caller", async () => {
    const others = ["first", "second"];
    for (const uniqueID of others) {
      await attach(guest, { uniqueID });
      service.advance(1);
    }
    await attach(stranger, { uniqueID: "claimed" });
    expect((await attach(guest)).body.otherDevices).toEqual(["second", "first"]);
    expect((await attach(stranger, { uniqueID: "claimed" })).body).not.toHaveProperty("otherDevices");
    const { body } = await guest.call("journeyFromRecordLocator", ADA);
    expect(body.baggage[0]).toMatchObject({ attachedDevice: TAG, otherDevices: ["second", "first"] });
    expect(body.baggage[1]).not.toHaveProperty("otherDevices");
  });
});

it("what cannot be attached is a foreign bag, where the client key demands a loaded journey", async () => {
  await setFlags({ requireLoadedJourney: true });
  expectError(await attach(stranger), "baggage_not_found");
  await stranger.call("journeyFromRecordLocator", ADA);
  expect((await attach(stranger)).status).toBe(200);
  expectError(await attach(stranger, { uniqueID: "ebt-21-0002" }, 3), "baggage_not_found");
});

it.each([
  ["its uniqueID", { uniqueID: "Tag-Ä", guid: GUID, mac: MAC }, "Tag-Ä"],
  ["else its GUID", { guid: GUID, mac: MAC }, GUID],
  ["else its MAC address", { mac: MAC }, MAC],
  ["no blank", { uniqueID: " ", guid: "\t", mac: MAC }, MAC],
])("a tag under its several names is known by %s", async (_, device, name) => {
  expect((await attach(guest, device)).body.uniqueDeviceId).toBe(name);
  expect(await isLocked(name)).toBe(true);
});

it("a claim gets no data of the passenger whose bag it names", async () => {
  await attach(stranger);
  const { body } = await (await guestSession(service)).call("ebtLookup", { uniqueDeviceId: TAG });
  expect(body.hints).toEqual({ maskedRecordLocator: "•••••", maskedSurname: "•••••" });
});

describe("a squatter with a booking of their own", () => {
  let squatter: TestSession;
  beforeEach(async () => {
    squatter = await withBookings(service, await guestSession(service), ["demo-plan-2"]);
  });
  const unlocked = (session: TestSession, uniqueDeviceId: string) =>
    session.call("ebtUnlock", { uniqueDeviceId });

  it("cannot lock the owner out of a locked tag by a second tag of its address", async () => {
    await attach(guest, { uniqueID: GUID });
    await attach(squatter, { uniqueID: "trap", guid: GUID }, 3);
    await attach(squatter, { guid: GUID }, 3);
    await attach(squatter, { mac: GUID }, 3);
    expect((await guest.call("ebtLookup", { uniqueDeviceId: GUID })).body.sameTravelPlan).toBe(true);
    expect((await guest.call("ebtAuthorization", { uniqueDeviceId: GUID, nonce: "n" })).status).toBe(200);
    expect((await unlocked(guest, GUID)).status).toBe(200);
  });

  it("cannot come back by an address that the owner has once held", async () => {
    const trap = () => attach(squatter, { uniqueID: "trap", guid: GUID }, 3);
    const bare = () => attach(squatter, { guid: GUID }, 3);
    await trap();
    await unlocked(squatter, "trap");
    await bare();
    await unlocked(squatter, GUID);
    expect((await attach(guest, { uniqueID: GUID })).status).toBe(200);
    await trap();
    expectError(await bare(), "device_locked");
    expect((await guest.call("ebtLookup", { uniqueDeviceId: GUID })).body.sameTravelPlan).toBe(true);
  });
});

it("a proof of custody is answered rightly whichever of the tag's rows had the lock", async () => {
  await service.db
    .insert(devices)
    .values([GUID, `hw:${GUID.replaceAll("-", "")}`].map((id) => ({ id, label: id, registeredAt: 1 })));
  await attach(guest, { guid: GUID });
  expect((await stranger.call("ebtCustodyProof", { uniqueDeviceId: GUID, ...ADA })).status).toBe(200);
  expect(await locks()).toEqual([]);
});
