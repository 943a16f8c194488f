import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { deviceTicketLocks, failedProofs, guessCounters } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { prove, RIGHT, startWithLockedTag, TAG, WRONG } from "../test-support/locked-tag.ts";
import {
  ADA,
  federatedSession,
  guestSession,
  staffSession,
  type TestSession,
} from "../test-support/logins.ts";
import { type Answer, expectError, startService, type TestService } from "../test-support/service.ts";
import { requireWithin } from "./counters.ts";

let service: TestService;
let guest: TestSession;
beforeEach(async () => {
  ({ service, guest } = await startWithLockedTag());
});

const locks = () => service.db.select().from(deviceTicketLocks);
/** What is counted, without whom. */
const countersOf = async ({ db }: TestService) => {
  const rows = await db.select().from(guessCounters);
  return [...new Set(rows.map(({ key }) => key.slice(0, key.lastIndexOf(":"))))].sort();
};

/** One budget for proofs and both journey look-ups (rules §2). */
describe("the guess budget", () => {
  it("evaluates five of 50 parallel guesses at a tag, and not the right one after them", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => prove(guest, WRONG)));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(422), count(429)]).toEqual([5, 45]);
    const refused = await prove(guest);
    expectError(refused, "too_many_attempts");
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await locks()).toHaveLength(1);
  });

  it("counts tags that do not exist as it counts those that do", async () => {
    const statuses = [];
    for (let i = 0; i < 6; i++) {
      const proof = { ...WRONG, recordLocator: `AAAAA${i}` };
      statuses.push([
        (await prove(guest, proof)).status,
        (await prove(guest, { ...proof, recordLocator: `BBBBB${i}` }, "no-such-tag")).status,
      ]);
    }
    expect(statuses).toEqual([...Array(5).fill([422, 422]), [429, 429]]);
  });

  it("counts a tag under all its spellings as one", async () => {
    for (let i = 0; i < 5; i++) await prove(guest, WRONG, i % 2 ? TAG.toUpperCase() : ` ${TAG}`);
    expectError(await prove(guest, WRONG), "too_many_attempts");
  });

  it("over it answers alike for what exists and what does not, byte for byte", async () => {
    const answers = [];
    for (const uniqueDeviceId of [TAG, "ebt-21-0002", "no-such-tag"]) {
      for (let i = 0; i < 6; i++) {
        answers[0] = await prove(
          guest,
          { ...WRONG, recordLocator: `${uniqueDeviceId.at(-1)}AAAA${i}` },
          uniqueDeviceId,
        );
      }
      answers.push(answers[0]);
    }
    for (let i = 0; i < 11; i++) {
      for (const recordLocator of ["ABC123", "NOSUCH"]) {
        answers[0] = await guest.call("journeyFromRecordLocator", { recordLocator, surname: "MARPLE" });
        if (i === 10) answers.push(answers[0]);
      }
    }
    const [, ...refused] = answers;
    expect(refused).toHaveLength(5);
    for (const answer of refused) {
      expectError(answer as Answer, "too_many_attempts");
      expect(answer?.text).toBe(refused[0]?.text);
      expect(answer?.headers.get("Retry-After")).toBe("900");
    }
  });

  it("is counted to its cap and no further, until it ends a quarter of an hour after it began", async () => {
    const endsAt = service.now() + 900_000;
    for (let i = 0; i < 5; i++) await prove(guest, WRONG);
    service.advance(0.5);
    for (let i = 0; i < 3; i++) expect((await prove(guest, WRONG)).headers.get("Retry-After")).toBe("900");
    const rows = await service.db.select().from(guessCounters);
    expect(rows.find(({ key }) => key === `device:unvouched:${TAG}`)).toMatchObject({ count: 5, endsAt });
    expect(rows.find(({ key }) => key.startsWith("locator:unvouched:"))).toMatchObject({ count: 5, endsAt });
  });

  it("begins again when it has ended", async () => {
    for (let i = 0; i < 5; i++) await prove(guest, WRONG);
    service.advance(901);
    guest = await guestSession(service, { app: guest.app });
    for (let i = 0; i < 5; i++) expectError(await prove(guest, WRONG), "custody_proof_invalid");
    expectError(await prove(guest, WRONG), "too_many_attempts");
  });

  it("refuses for a second where a counter ends now, and for the longest wait of several", () => {
    const now = service.now();
    const refusal =
      (...ends: number[]) =>
      () =>
        requireWithin({ now } as BearerContext, { spent: ends.map((endsAt) => ({ endsAt })) });
    const waiting = (seconds: number) => ({
      ...{ code: "too_many_attempts", detail: { headers: { "Retry-After": `${seconds}` } } },
    });
    expect(refusal(now)).toThrow(expect.objectContaining(waiting(1)));
    expect(refusal(now + 1, now + 9_001, now + 2)).toThrow(expect.objectContaining(waiting(10)));
    expect(refusal()).not.toThrow();
  });

  it("is given back by a right proof, and the tag's with its lock", async () => {
    for (let i = 0; i < 4; i++) await prove(guest, WRONG);
    expect((await prove(guest)).status).toBe(200);
    const rows = await service.db.select().from(guessCounters);
    expect(rows.filter(({ key }) => key.startsWith("device:"))).toEqual([]);
    expect(rows.find(({ key }) => key.startsWith("locator:"))?.count).toBe(4);
  });

  it("of a tag comes back with nothing but the end of its lock", async () => {
    const free = "ebt-21-0002";
    for (const uniqueDeviceId of [TAG, free]) {
      for (let i = 0; i < 5; i++)
        await prove(guest, { ...WRONG, recordLocator: `AAAA${i}${uniqueDeviceId.at(-1)}` }, uniqueDeviceId);
      await guest.call("ebtUnlock", { uniqueDeviceId });
      await (await staffSession(service)).call("lockRelease", {
        uniqueDeviceId,
        reason: "another airline's",
      });
      expectError(await prove(guest, WRONG, uniqueDeviceId), "too_many_attempts");
    }
  });

  it("is one over proofs and both look-ups of a journey, per locator", async () => {
    const { recordLocator } = RIGHT;
    const scanData = `M1MARPLE/NO           E${recordLocator} JFKFRALH 0401 123Y008A0034 100`;
    const attempts = [
      () => prove(guest, WRONG, `tag-${Math.random()}`),
      () => guest.call("journeyFromRecordLocator", { recordLocator, surname: "MARPLE" }),
      () => guest.call("journeyFromBcbp", { scanData }),
    ];
    for (let i = 0; i < 10; i++) {
      const answer = await attempts[i % 3]?.();
      expect(answer?.body.errorCode).toMatch(/^(custody_proof_invalid|journey_not_found)$/);
    }
    for (const attempt of attempts) expectError(await attempt(), "too_many_attempts");
    expectError(await prove(guest), "too_many_attempts");
    expect(await locks()).toHaveLength(1);
  });

  it("adds limits per person and network in production", async () => {
    const production = await startService({ ENVIRONMENT: "production" });
    const session = await guestSession(production);
    const attempt = (i: number) =>
      session.call("journeyFromRecordLocator", { recordLocator: `CCCC${i}`, surname: "MARPLE" });
    for (let i = 0; i < 10; i++) expectError(await attempt(i), "journey_not_found");
    const refused = await attempt(10);
    expectError(refused, "too_many_attempts");
    expect(refused.headers.get("Retry-After")).toBe("3600");
    expect(await countersOf(production)).toEqual(["locator:unvouched", "network:unvouched", "sub"]);
  });

  it("of staff in production is their own, and no network's", async () => {
    const production = await startService({
      ENVIRONMENT: "production",
      GUESSES_PER_SUBJECT_PER_HOUR: "0",
      GUESSES_PER_STAFF_PER_HOUR: "2",
      GUESSES_PER_NETWORK_VOUCHED_PER_HOUR: "0",
    });
    await production.db.delete(guessCounters);
    const staff = await staffSession(production);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await prove(staff, WRONG, `tag-${i}`)).status);
    expect(statuses).toEqual([422, 422, 429]);
    expect(await countersOf(production)).toEqual(["device:staff", "locator:staff", "sub"]);
  });

  it("of a network is spent by strangers for strangers, and by others for others", async () => {
    const production = await startService({
      ENVIRONMENT: "production",
      GUESSES_PER_NETWORK_UNVOUCHED_PER_HOUR: "2",
      GUESSES_PER_NETWORK_VOUCHED_PER_HOUR: "3",
    });
    const [one, other] = [await federatedSession(production), await guestSession(production)];
    const attempt = (session: TestSession, i: number) =>
      session.call("journeyFromRecordLocator", { recordLocator: `DDDD${i}`, surname: "MARPLE" });
    for (let i = 0; i < 3; i++) expectError(await attempt(one, i), "journey_not_found");
    for (let i = 3; i < 5; i++) expectError(await attempt(other, i), "journey_not_found");
    for (const session of [one, other]) expectError(await attempt(session, 6), "too_many_attempts");
  });

  it("stores no record locator and no name in its rows", async () => {
    await prove(guest, WRONG);
    const rows = await service.db.all(sql`select * from guess_counters`);
    expect(JSON.stringify(rows)).not.toMatch(/K7Q2ZD|MEIER/i);
  });
});

/** The holder's notice of attempts at the tag (rules §5). */
describe("the notice of attempts", () => {
  let holder: TestSession;
  beforeEach(async () => {
    await service.db.delete(deviceTicketLocks);
    holder = await guestSession(service);
    await holder.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 1 });
  });
  const notice = async (session: TestSession, uniqueDeviceId = TAG) =>
    (await session.call("ebtLookup", { uniqueDeviceId })).body.failedCustodyProofs;
  const attempts = async (count: number, session = guest, uniqueDeviceId = TAG) => {
    for (let i = 0; i < count; i++) await prove(session, WRONG, uniqueDeviceId);
    return new Date(service.now()).toISOString();
  };

  it("has the number of failed proofs at that tag since the lock was made, and the time of the last", async () => {
    await attempts(1, guest, "ebt-21-0002");
    expect(await notice(holder)).toBeUndefined();
    await attempts(2);
    service.advance(60);
    const lastAt = await attempts(1, await guestSession(service), TAG.toUpperCase());
    expect(await notice(holder)).toEqual({ count: 3, lastAt });
  });

  it("counts what was evaluated alone, every one of it under 50 parallel guesses", async () => {
    await Promise.all(Array.from({ length: 50 }, () => prove(guest, WRONG)));
    expect(await notice(holder)).toMatchObject({ count: 5 });
  });

  it("is on the bag of the journey, and on that bag alone", async () => {
    // A bag shows its tag only where an entitled caller attached it.
    await holder.call("journeyFromRecordLocator", ADA);
    await holder.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 1 });
    const lastAt = await attempts(1);
    const { baggage } = (await holder.call("journeyFromRecordLocator", ADA)).body;
    expect(baggage[0]).toMatchObject({ attachedDevice: TAG, failedCustodyProofs: { count: 1, lastAt } });
    expect(baggage[1]).not.toHaveProperty("failedCustodyProofs");
    const { journeys } = (await holder.call("journeys")).body;
    expect(journeys[0].baggage).toEqual(baggage);
  });

  it("is the holder's alone: callers who have to prove custody do not get it", async () => {
    await attempts(1);
    expect(await notice(guest)).toBeUndefined();
  });

  it("does not identify the callers", async () => {
    await attempts(1);
    const rows = await service.db.all(sql`select * from failed_proofs`);
    expect(rows).toEqual([
      { device_id: TAG, failures: 1, last_failed_at: service.now(), ends_at: expect.any(Number) },
    ]);
  });

  it("ends with the lock, and with it the budget of guesses at the tag", async () => {
    await attempts(1);
    await holder.call("ebtUnlock", { uniqueDeviceId: TAG });
    const keys = (await service.db.select().from(guessCounters)).map(({ key }) => key);
    expect(keys.filter((key) => key.startsWith("device:"))).toEqual([]);
  });

  it("starts again with each lock, whatever was tried before it", async () => {
    await attempts(2);
    await holder.call("ebtUnlock", { uniqueDeviceId: TAG });
    await attempts(1);
    service.advance(1);
    await holder.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 2 });
    expect(await notice(holder)).toBeUndefined();
    service.advance(1);
    const lastAt = await attempts(1);
    expect(await notice(holder)).toEqual({ count: 1, lastAt });
  });

  it("counts a request sent again under its Idempotency-Key once", async () => {
    const again = () =>
      guest.call("ebtCustodyProof", { uniqueDeviceId: TAG, ...WRONG }, { "Idempotency-Key": "twice" });
    await again();
    await again();
    expect(await notice(holder)).toMatchObject({ count: 1 });
  });

  it("is stored as long as the lock, for tags without one as long as the budget's window", async () => {
    await attempts(1);
    await attempts(1, guest, "no-such-tag");
    const [known, unknown] = await service.db.select().from(failedProofs).orderBy(failedProofs.deviceId);
    const [held] = await service.db.select().from(deviceTicketLocks);
    expect(known).toMatchObject({ deviceId: TAG, endsAt: held?.endsAt });
    expect(unknown).toMatchObject({ deviceId: "no-such-tag", endsAt: service.now() + 900_000 });
    await service.db.update(deviceTicketLocks).set({ endsAt: service.now() });
    await attempts(1);
    const [over] = await service.db.select().from(failedProofs).where(eq(failedProofs.deviceId, TAG));
    expect(over).toMatchObject({ endsAt: service.now() + 900_000 });
  });
});
