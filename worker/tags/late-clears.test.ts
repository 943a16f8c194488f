import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, clearMarks, devices, deviceTicketLocks, travelPlans } from "../../db/schema.ts";
import { appointed } from "../test-support/delegating.ts";
import { guestSession, type TestSession, withBookings } from "../test-support/logins.ts";
import { expectError, scheduledRun, startClean, type TestService } from "../test-support/service.ts";
import { ctiOf, signCommit, tagCertificateOf, tokenFor } from "../test-support/signing-tag.ts";

/**
 * An attachment that arrives after the clear that undid it (rules §5, "Late reports"): the clear found no lock, because the
 * attachment had not been reported, and leaves a mark.
 */

const SIGNING = "ebt-21-0001";
const PLAIN = "ebt-20-0005";
const WEEK = 7 * 86_400;

let service: TestService;
let owner: TestSession;
let companion: TestSession;
let stranger: TestSession;
beforeEach(async () => {
  service = await startClean({ ACCESS_TOKEN_SECONDS: "2e9" });
  owner = await withBookings(service, await guestSession(service), ["demo-plan-1"]);
  companion = await withBookings(service, await guestSession(service), ["demo-plan-1"]);
  stranger = await guestSession(service);
});

/** The token of a commit: its `cti`, and of a tag that signs, its statement. */
async function commit(by: TestSession, tag: string, commits: number, operation: "write" | "clear" = "write") {
  const token = await tokenFor(by, tag);
  service.advance(10);
  const cti = ctiOf(token);
  if (tag === PLAIN) return { cti };
  const tagStatement = await signCommit(tag, token, commits, { operation });
  return { cti, tagStatement, tagCertificate: tagCertificateOf(tag) };
}
const attach = (by: TestSession, tag: string, report: object, baggageId = 1) =>
  by.call("deviceAttachment", { device: { uniqueID: tag }, baggageId, ...report });
const clear = (by: TestSession, tag: string, report: object, more = {}) =>
  by.call("ebtUnlock", { uniqueDeviceId: tag, ...report, ...more });
const marks = () => service.db.select().from(clearMarks);

it("is late after a companion's clear for a bag of the booking, and not after a stranger's", async () => {
  const written = await commit(owner, PLAIN, 1);
  await clear(stranger, PLAIN, await commit(stranger, PLAIN, 2, "clear"), { forBaggageId: 1 });
  expect((await attach(owner, PLAIN, written)).status).toBe(200);
  await service.db.delete(deviceTicketLocks);
  await clear(companion, PLAIN, await commit(companion, PLAIN, 3, "clear"), { forBaggageId: 2 });
  expectError(await attach(owner, PLAIN, written), "stale_attachment");
});

it("two persons' marks stand beside each other, and the newest of each counts", async () => {
  const old = await commit(owner, PLAIN, 1, "clear");
  const written = await commit(owner, PLAIN, 2);
  const newer = await commit(owner, PLAIN, 3, "clear");
  const theirs = await commit(stranger, PLAIN, 4, "clear");
  await clear(owner, PLAIN, newer);
  await clear(stranger, PLAIN, theirs);
  await clear(owner, PLAIN, old);
  expect(await marks()).toHaveLength(2);
  expectError(await attach(owner, PLAIN, written), "stale_attachment");
});

it("a delegate's clear makes their delegator's attachment late, and the other way round", async () => {
  const delegate = await guestSession(service);
  await appointed(delegate, owner);
  const [mine, theirs] = [await commit(owner, PLAIN, 1), await commit(delegate, PLAIN, 2)];
  await clear(delegate, PLAIN, await commit(delegate, PLAIN, 3, "clear"), { forBaggageId: 1 });
  expectError(await attach(owner, PLAIN, mine), "stale_attachment");
  expectError(await attach(delegate, PLAIN, theirs), "stale_attachment");
});

it("a report under a token that another holder took, or for another tag, counts as made now", async () => {
  const cti = ctiOf(await tokenFor(companion, PLAIN));
  const elsewhere = ctiOf(await tokenFor(owner, SIGNING));
  service.advance(600);
  await attach(owner, PLAIN, {}, 2);
  expect((await attach(owner, PLAIN, { cti })).status).toBe(200);
  expect((await attach(owner, PLAIN, { cti: elsewhere }, 2)).status).toBe(200);
  expectError(await attach(companion, PLAIN, { cti }), "stale_attachment");
});

describe("the mark", () => {
  it("is no row of the audit log, and none of the registry", async () => {
    const cti = ctiOf(await tokenFor(owner, "unknown-tag"));
    const before = [await service.db.$count(auditLog), await service.db.$count(devices)];
    await clear(owner, "unknown-tag", { cti });
    expect(await marks()).toHaveLength(1);
    expect([await service.db.$count(auditLog), await service.db.$count(devices)]).toEqual(before);
  });

  it("is forgotten after a week", async () => {
    const written = await commit(owner, PLAIN, 1);
    await clear(owner, PLAIN, await commit(owner, PLAIN, 2, "clear"));
    await service.db.update(travelPlans).set({ endsAt: service.now() + 30 * 86_400_000 });
    service.advance(WEEK);
    expect((await attach(owner, PLAIN, written)).status).toBe(200);
    await scheduledRun(service.now(), {});
    expect(await marks()).toEqual([]);
  });

  it("adds nothing to a later one once it is over, also before it is deleted", async () => {
    const earlier = await commit(owner, PLAIN, 1, "clear");
    const written = await commit(owner, PLAIN, 2);
    await clear(owner, PLAIN, await commit(owner, PLAIN, 3, "clear"));
    await service.db.update(travelPlans).set({ endsAt: service.now() + 30 * 86_400_000 });
    service.advance(WEEK);
    await clear(owner, PLAIN, earlier);
    expect((await attach(owner, PLAIN, written)).status).toBe(200);
  });
});
