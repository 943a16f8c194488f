import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { deviceTicketLocks, loadedPlans, sessions, travelPlans, usedOnce } from "../../db/schema.ts";
import { dpopProof } from "../test-support/app-instance.ts";
import {
  crowdOfGuests,
  federatedSession,
  guestSession,
  subOf,
  type TestSession,
  withBookings,
} from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { expectError, startClean, type TestService, upTo } from "../test-support/service.ts";

/** A hall of passengers behind one address, and attackers who spend what they may write together (rules §2). */

const TAG = "ebt-21-0001";
const PLAN = "demo-plan-1";
const WRONG = { recordLocator: "ZZZZZZ", surname: "MARPLE" };

const never = { limit: async () => ({ success: false }) };

const unlock = (session: TestSession, headers = {}) =>
  session.call("ebtUnlock", { uniqueDeviceId: TAG }, headers);
const attach = (session: TestSession) =>
  session.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 1 });
const authorize = (session: TestSession) =>
  session.call("ebtAuthorization", { uniqueDeviceId: TAG, nonce: "n" });

let service: TestService;
const start = async (vars: object) => {
  service = await startClean({ ENVIRONMENT: "production", ...vars });
};

describe("refused proofs", () => {
  const prove = (session: TestSession) =>
    session.call("ebtCustodyProof", { uniqueDeviceId: "never-seen", ...WRONG });

  it("of one person with many sessions spend nothing of the hall's", async () => {
    const hall = upTo(10);
    await start({ HALL_LIMIT: hall });
    const statuses = new Set<number>();
    for (const session of await crowdOfGuests(service, 12))
      for (let i = 0; i < 5; i++) statuses.add((await prove(session)).status);
    expect(statuses).toEqual(new Set([422, 429]));
    // One of the hall's is enough for all of them, and serves the next caller.
    expect(hall.counted).toHaveLength(1);
    const newcomer = await guestSession(service);
    for (let i = 0; i < 10; i++) expect((await unlock(newcomer)).status).toBe(200);
    expectError(await unlock(newcomer), "too_many_requests");
  });

  it("cost their caller's own limit", async () => {
    await start({ WRITE_LIMIT: upTo(3), HALL_LIMIT: upTo(10) });
    const [one, other] = [await guestSession(service), await guestSession(service)];
    for (let i = 0; i < 3; i++) expectError(await prove(one), "custody_proof_invalid");
    expectError(await unlock(one), "too_many_requests");
    expect((await unlock(other)).status).toBe(200);
  });

  it("are given back as often as the hall may write, so that the rows they write have a limit, too", async () => {
    const hall = upTo(2);
    await start({ HALL_LIMIT: hall, WRITES_PER_NETWORK_PER_MINUTE: "3" });
    const session = await guestSession(service);
    for (let i = 0; i < 4; i++) expectError(await prove(session), "custody_proof_invalid");
    expect(hall.counted).toHaveLength(1);
    await prove(session);
    expectError(await prove(session), "too_many_requests");
  });

  it("are given back within their minute", async () => {
    const hall = upTo(10);
    await start({ HALL_LIMIT: hall });
    const session = await guestSession(service);
    await prove(session);
    service.advance(59);
    await prove(session);
    expect(hall.counted).toHaveLength(1);
    service.advance(60);
    await prove(session);
    expect(hall.counted).toHaveLength(2);
  });

  it("of another network return nothing here", async () => {
    const hall = upTo(1);
    await start({ HALL_LIMIT: hall });
    const session = await guestSession(service);
    await session.call("ebtUnlock", {}, { "CF-Connecting-IP": "198.51.100.1" });
    await unlock(session);
    expect(new Set(hall.counted).size).toBe(2);
  });
});

describe("where the hall's limit is spent", () => {
  let holder: TestSession;
  beforeEach(async () => {
    await start({ HALL_LIMIT: never });
    holder = await withBookings(service, await guestSession(service), [PLAN]);
  });

  it("with a loaded booking gets tokens, attaches, clears and refreshes", async () => {
    expect((await authorize(holder)).status).toBe(200);
    expect((await attach(holder)).status).toBe(200);
    expect((await unlock(holder)).status).toBe(200);
    const { refreshToken } = holder;
    expect((await service.call("refresh", { refreshToken })).status).toBe(200);
  });

  it("with a live lock clears it, although the booking is not loaded", async () => {
    await attach(holder);
    await service.db.delete(loadedPlans);
    expect((await unlock(holder)).status).toBe(200);
    expectError(await unlock(holder), "too_many_requests");
    expect(await service.db.select().from(deviceTicketLocks)).toEqual([]);
  });

  it("every other caller is refused, and writes nothing", async () => {
    const stranger = await guestSession(service, { dpop: true });
    const before = await service.db.$count(usedOnce);
    expectError(await unlock(stranger), "too_many_requests");
    expect(service.log.at(-1)).toMatchObject({ reason: "rate of hall", rowsWritten: 0 });
    expectError(await unlock(await federatedSession(service)), "too_many_requests");
    expect(await service.db.$count(usedOnce)).toBe(before);
  });

  it("a booking that is past no longer admits its caller", async () => {
    await changeRow(service.db, travelPlans, PLAN, { endsAt: service.now() });
    expectError(await unlock(holder), "too_many_requests");
  });

  it("a session that has ended is no holder's, and a proof of possession is used once", async () => {
    const bound = await withBookings(service, await guestSession(service, { dpop: true }), [PLAN]);
    const path = "/v2/ebt-unlocks";
    const { accessToken, app } = bound;
    const DPoP = await dpopProof(app, { path, now: service.now(), accessToken });
    expect((await unlock(bound, { DPoP })).status).toBe(200);
    expectError(await unlock(bound, { DPoP }), "invalid_dpop_proof");
    await service.db
      .update(sessions)
      .set({ revokedAt: service.now() })
      .where(eq(sessions.sub, subOf(bound)));
    expectError(await unlock(bound), "unauthorized_token");
  });

  it("holders are counted by their network, and their refused requests are not", async () => {
    const holders = upTo(2);
    await start({ HALL_LIMIT: never, HOLDER_LIMIT: holders });
    holder = await withBookings(service, await guestSession(service), [PLAN]);
    for (let i = 0; i < 5; i++) expectError(await holder.call("ebtUnlock", {}), "required_info_not_provided");
    for (let i = 0; i < 2; i++) expect((await unlock(holder)).status).toBe(200);
    expectError(await unlock(holder), "too_many_requests");
    expect(service.log.at(-1)).toMatchObject({ reason: "rate of holder" });
    expect(new Set(holders.counted).size).toBe(1);
    expect((await unlock(holder, { "CF-Connecting-IP": "198.51.100.1" })).status).toBe(200);
  });
});
