import { beforeEach, describe, expect, it } from "vitest";
import { devices, deviceTicketLocks, guessCounters } from "../../db/schema.ts";
import { guestSession, staffSession, subOf, type TestSession, withBookings } from "../test-support/logins.ts";
import { expectError, startClean, type TestService } from "../test-support/service.ts";

/** Attacks on the journey lock by callers who never touch the tag: each was, or could be, done to the service. */

const TAG = "ebt-20-0005";
const UUID = "123e4567-e89b-12d3-a456-426614174000";

let service: TestService;
/** Has loaded the booking of bags 1 and 2. */
let owner: TestSession;
/** Has loaded the booking of bag 3. */
let squatter: TestSession;
/** Has loaded nothing. */
let stranger: TestSession;

const person = async (...plans: readonly string[]) =>
  withBookings(service, await guestSession(service), ["none", ...plans].slice(1));
const start = async (vars: Record<string, unknown> = {}) => {
  service = await startClean({ ACCESS_TOKEN_SECONDS: "2e9", ...vars });
  [owner, squatter] = [await person("demo-plan-1"), await person("demo-plan-2")];
  stranger = await guestSession(service);
};
beforeEach(() => start());

const attach = (session: TestSession, baggageId: number, uniqueID = TAG, more: object = {}) =>
  session.call("deviceAttachment", { device: { uniqueID }, baggageId, ...more });
const look = async (session: TestSession, uniqueDeviceId = TAG, more: object = {}) =>
  (await session.call("ebtLookup", { uniqueDeviceId, ...more })).body;
const token = (session: TestSession, uniqueDeviceId = TAG, more: object = {}) =>
  session.call("ebtAuthorization", { uniqueDeviceId, nonce: "n", ...more });
const unlock = (session: TestSession, uniqueDeviceId = TAG, more: object = {}) =>
  session.call("ebtUnlock", { uniqueDeviceId, ...more });
const release = (session: TestSession, uniqueDeviceId = TAG) =>
  session.call("lockRelease", { uniqueDeviceId, reason: "in hand" });
const locks = () => service.db.select().from(deviceTicketLocks);

describe("a stranger who locks tags that they never had in hand", () => {
  it("locks ten at once, and thirty an hour from one network", async () => {
    await start({ ENVIRONMENT: "production" });
    const crowd = [stranger, ...(await Promise.all([1, 2, 3].map(() => guestSession(service))))];
    const codes: number[] = [];
    for (const [who, session] of crowd.entries()) {
      for (let i = 0; i < 11; i++) codes.push((await attach(session, 3, `swept-${who}-${i}`)).status);
    }
    // Ten and ten; the two that were refused for their live claims count for the network, too.
    expect(codes.filter((code) => code === 200)).toHaveLength(28);
    expect(await service.db.$count(deviceTicketLocks)).toBe(28);
  });

  it("gets no data of the passenger whose bag they named", async () => {
    await attach(stranger, 1);
    const hints = { maskedRecordLocator: "•••••", maskedSurname: "•••••" };
    expect((await look(await guestSession(service))).hints).toEqual(hints);
  });
});

describe("a squatter with a booking of their own", () => {
  it("cannot lock the owner out of a locked tag by a second tag of its address", async () => {
    await attach(owner, 1, UUID);
    await squatter.call("deviceAttachment", { device: { uniqueID: "trap", guid: UUID }, baggageId: 3 });
    await squatter.call("deviceAttachment", { device: { guid: UUID }, baggageId: 3 });
    await squatter.call("deviceAttachment", { device: { mac: UUID }, baggageId: 3 });
    expect(await look(owner, UUID)).toMatchObject({ sameTravelPlan: true });
    expect((await token(owner, UUID)).status).toBe(200);
    expect((await unlock(owner, UUID)).status).toBe(200);
  });

  it("cannot come back by an address that the owner has once held", async () => {
    const trap = () =>
      squatter.call("deviceAttachment", { device: { uniqueID: "trap", guid: UUID }, baggageId: 3 });
    const bare = () => squatter.call("deviceAttachment", { device: { guid: UUID }, baggageId: 3 });
    await trap();
    await unlock(squatter, "trap");
    await bare();
    await unlock(squatter, UUID);
    expect((await attach(owner, 1, UUID)).status).toBe(200);
    await trap();
    expectError(await bare(), "device_locked");
    expect(await look(owner, UUID)).toMatchObject({ sameTravelPlan: true });
  });
});

describe("releases of other airlines' locks", () => {
  it("end after ten a day, and never keep an account from its own airline's", async () => {
    await start({ FOREIGN_RELEASES_PER_DAY: "2" });
    const staff = await staffSession(service);
    for (const id of ["other-1", "other-2", "other-3"]) await attach(squatter, 3, id);
    for (const id of ["other-1", "other-2"]) expect((await release(staff, id)).status).toBe(200);
    for (let i = 0; i < 2; i++) {
      const answer = await release(staff, "other-3");
      expectError(answer, "too_many_requests");
      expect(answer.headers.get("Retry-After")).toBe("86400");
    }
    await attach(owner, 1);
    expect((await release(staff)).status).toBe(200);
    expect(await locks()).toMatchObject([{ deviceId: "other-3" }]);
    // Another account has its own ten.
    const counted = await service.db.select().from(guessCounters);
    expect(counted.map(({ key }) => key)).toContain(`release:${subOf(staff)}`);
  });
});

it("a proof of custody is answered rightly whichever of the tag's rows had the lock", async () => {
  await service.db
    .insert(devices)
    .values([UUID, `hw:${UUID.replaceAll("-", "")}`].map((id) => ({ id, label: id, registeredAt: 1 })));
  await owner.call("deviceAttachment", { device: { guid: UUID }, baggageId: 1 });
  const proof = { uniqueDeviceId: UUID, recordLocator: "ABC123", surname: "LOVELACE" };
  expect((await stranger.call("ebtCustodyProof", proof)).status).toBe(200);
  expect(await locks()).toEqual([]);
});
