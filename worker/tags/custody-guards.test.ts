import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import {
  auditLog,
  clearMarks,
  delegations,
  deviceAliases,
  devices,
  deviceTicketLocks,
  guessCounters,
  idempotencyRecords,
  loadedPlans,
  revokedKeys,
  sessions,
  travelPlans,
} from "../../db/schema.ts";
import { interruption } from "../test-support/guarded-database.ts";
import { guestSession, subOf, type TestSession, withBookings } from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { startClean, startService, type TestService } from "../test-support/service.ts";
import { ctiOf, signCommit, tagCertificateOf, tokenFor } from "../test-support/signing-tag.ts";

/**
 * What a decision was made from changes between its reading and its commit: it is made again. One case for each guarded
 * snapshot of facts.ts; each fails where that snapshot is not guarded.
 */

const TAG = "ebt-21-0001";
const GUID = "123e4567-e89b-12d3-a456-426614174000";
const HARDWARE = `hw:${GUID.replaceAll("-", "")}`;
const certificate = { tagCertificate: tagCertificateOf(TAG) };

let service: TestService;
let owner: TestSession;
let other: TestSession;
let beforeCall: ReturnType<typeof interruption>["beforeCall"];

const start = async (vars: Record<string, unknown> = {}) => {
  await startClean();
  const between = interruption();
  ({ beforeCall } = between);
  service = await startService({ ENVIRONMENT: "production", ...vars }, undefined, between);
  owner = await withBookings(service, await guestSession(service), ["demo-plan-1"]);
  other = await withBookings(service, await guestSession(service), ["demo-plan-2"]);
};
beforeEach(() => start());

const attach = (session: TestSession, device: object, baggageId = 1, headers = {}, more = {}) =>
  session.call("deviceAttachment", { device, baggageId, ...more }, headers);
const theLock = async () => (await service.db.select().from(deviceTicketLocks))[0];
const setDevice = (fields: Partial<typeof devices.$inferInsert>) =>
  changeRow(service.db, devices, TAG, fields);

/** What is answered where `happens` between the reading of `act` and its commit. */
const withConcurrent = async (
  happens: () => Promise<unknown>,
  act: () => ReturnType<TestSession["call"]>,
) => {
  beforeCall(2, happens);
  const { status, body } = await act();
  expect(service.log.at(-1)).toMatchObject({ again: 2 });
  return status === 200 ? "ok" : body.errorCode;
};

describe("a fact that changes before the commit", () => {
  it("aliases: the address becomes another tag's, which is locked", async () => {
    await attach(other, { uniqueID: "plain" }, 3);
    const named = () => service.db.insert(deviceAliases).values({ alias: HARDWARE, deviceId: "plain" });
    expect(await withConcurrent(named, () => attach(owner, { guid: GUID }))).toBe("device_locked");
  });

  it("devices: the tag has reported more", async () => {
    await setDevice({ tagKey: null });
    await start({ ENVIRONMENT: "development" });
    const statement = { ...certificate, tagStatement: await signCommit(TAG, await tokenFor(owner, TAG), 1) };
    const reported = () => setDevice({ commits: 2 });
    const act = () => attach(owner, { uniqueID: TAG }, 1, {}, statement);
    expect(await withConcurrent(reported, act)).toBe("stale_statement");
  });

  it("locks: another person has locked the tag", async () => {
    await attach(other, { uniqueID: "tag" }, 3);
    const lock = await theLock();
    await service.db.delete(deviceTicketLocks);
    const taken = async () => lock && service.db.insert(deviceTicketLocks).values(lock);
    expect(await withConcurrent(taken, () => attach(owner, { uniqueID: "tag" }))).toBe("device_locked");
  });

  it("locks: the sweeper has removed the ended lock", async () => {
    await attach(other, { uniqueID: "tag" }, 3);
    await service.db.update(deviceTicketLocks).set({ endsAt: service.now(), commits: 4 });
    const swept = () => service.db.delete(deviceTicketLocks);
    expect(await withConcurrent(swept, () => attach(owner, { uniqueID: "tag" }))).toBe("ok");
    const ended = await service.db.$count(auditLog, eq(auditLog.event, "lock_ended"));
    expect(ended).toBe(0);
  });

  it("loaders: the writer of the tag has loaded the booking", async () => {
    await start({ ENVIRONMENT: "development" });
    const writer = await guestSession(service);
    await attach(owner, { uniqueID: TAG }, 1, {}, certificate);
    await setDevice({ commits: 0 });
    await service.db.update(deviceTicketLocks).set({ commits: 0 });
    // The token is of a time without the lock, which would refuse it.
    const lock = await theLock();
    await service.db.delete(deviceTicketLocks);
    const token = await tokenFor(writer, TAG);
    if (lock) await service.db.insert(deviceTicketLocks).values(lock);
    const statement = { ...certificate, tagStatement: await signCommit(TAG, token, 1) };
    const loads = () => withBookings(service, writer, ["demo-plan-1"]);
    const act = () => owner.call("ebtAuthorization", { uniqueDeviceId: TAG, nonce: "n", ...statement });
    expect(await withConcurrent(loads, act)).toBe("ok");
    expect(await theLock()).toMatchObject({ commits: 1 });
  });

  it("plans: the delegation has ended", async () => {
    const gone = () => service.db.delete(loadedPlans).where(eq(loadedPlans.sub, subOf(owner)));
    expect(await withConcurrent(gone, () => attach(owner, { uniqueID: "tag" }))).toBe("ok");
    expect(await theLock()).toMatchObject({ entitled: false });
  });

  it("caller: the caller has logged out", async () => {
    const out = () =>
      service.db
        .update(sessions)
        .set({ revokedAt: service.now() })
        .where(eq(sessions.sub, subOf(owner)));
    expect(await withConcurrent(out, () => attach(owner, { uniqueID: "tag" }))).toBe("unauthorized_token");
    expect(await theLock()).toBeUndefined();
  });

  it("caller: their only booking, by which a claim was superseded, is past", async () => {
    const guest = await guestSession(service);
    await attach(guest, { uniqueID: "tag" }, 1);
    const past = () => changeRow(service.db, travelPlans, "demo-plan-2", { endsAt: service.now() });
    const act = () => other.call("ebtUnlock", { uniqueDeviceId: "tag" });
    expect(await withConcurrent(past, act)).toBe("not_lock_holder");
    expect(await theLock()).toBeDefined();
  });

  it("bags: the feed has ended the booking", async () => {
    const past = () => changeRow(service.db, travelPlans, "demo-plan-1", { endsAt: service.now() });
    // By a claim: a loaded booking is a fact of its own.
    expect(await withConcurrent(past, () => attach(other, { uniqueID: "tag" }))).toBe("baggage_not_found");
  });

  it("earlier: the same key was used for another tag", async () => {
    const key = { "Idempotency-Key": "k" };
    const sent = () => attach(owner, { uniqueID: "another" }, 1, key);
    const act = () => attach(owner, { uniqueID: "tag" }, 1, key);
    expect(await withConcurrent(sent, act)).toBe("idempotency_key_reused");
    expect(await service.db.$count(idempotencyRecords)).toBe(1);
  });

  it("room: the last tag that the caller may hold is another", async () => {
    await start({ LIVE_LOCKS_PER_SUBJECT: "1" });
    const taken = () => attach(owner, { uniqueID: "another" });
    expect(await withConcurrent(taken, () => attach(owner, { uniqueID: "tag" }))).toBe("too_many_requests");
  });

  it("displaced: the booking has as many locks as it may have", async () => {
    await start({ LOCKS_PER_BAG: "1" });
    await attach(owner, { uniqueID: "first" });
    const taken = () => attach(owner, { uniqueID: "second" }, 2);
    expect(await withConcurrent(taken, () => attach(owner, { uniqueID: "third" }))).toBe("ok");
    const rows = await service.db.select().from(deviceTicketLocks);
    expect(rows.map(({ deviceId }) => deviceId).sort()).toEqual(["second", "third"]);
  });

  it("clears: the tag was cleared", async () => {
    const cti = ctiOf(await tokenFor(owner, "tag"));
    service.advance(10);
    const later = ctiOf(await tokenFor(owner, "tag"));
    const cleared = () => owner.call("ebtUnlock", { uniqueDeviceId: "tag", cti: later });
    const act = () => attach(owner, { uniqueID: "tag" }, 1, {}, { cti });
    expect(await withConcurrent(cleared, act)).toBe("stale_attachment");
    expect(await service.db.$count(clearMarks)).toBe(1);
  });

  it("revoked: the key of the session was revoked", async () => {
    await start({ ENVIRONMENT: "development" });
    await setDevice({ tagKey: null, tagSpkiHash: null, gattVersion: null });
    await service.db.update(sessions).set({ keySpkiHash: "theKey" });
    const revoked = () =>
      service.db.insert(revokedKeys).values({ spkiHash: "theKey", revokedAt: service.now() });
    const act = () => owner.call("ebtAuthorization", { uniqueDeviceId: TAG, nonce: "n", ...certificate });
    expect(await withConcurrent(revoked, act)).toBe("unauthorized_token");
    await service.db.delete(revokedKeys);
  });
});

it("a counter that is spent before the commit refuses the attachment, and is not raised over its cap", async () => {
  await start({ ATTACHMENTS_PER_SUBJECT_PER_HOUR: "1" });
  const other1 = () => attach(owner, { uniqueID: "another" });
  expect(await withConcurrent(other1, () => attach(owner, { uniqueID: "tag" }))).toBe("too_many_requests");
  const [counter] = await service.db.select().from(guessCounters);
  expect(counter).toMatchObject({ count: 1 });
});

it("nothing is written twice where the answer to a commit is lost", async () => {
  await attach(owner, { uniqueID: "tag" });
  expect(await service.db.$count(delegations)).toBe(0);
  beforeCall(2, async () => {
    throw new Error("D1_ERROR: Network connection lost.");
  });
  const { status } = await attach(owner, { uniqueID: "tag-2" });
  expect(status).toBe(503);
  expect(service.log.at(-1)).not.toHaveProperty("again");
  expect(await service.db.$count(deviceTicketLocks, sql`device_id = 'tag-2'`)).toBe(0);
});
