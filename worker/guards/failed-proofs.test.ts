import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { deviceTicketLocks, failedProofs, guessCounters } from "../../db/schema.ts";
import { ADA, guestSession, type TestSession } from "../test-support/logins.ts";
import { startClean, type TestService } from "../test-support/service.ts";

const TAG = "ebt-21-0001";
const WRONG = { recordLocator: "K7Q2ZD", surname: "MÜLLER" };

let service: TestService;
let holder: TestSession;
let guest: TestSession;
beforeEach(async () => {
  service = await startClean();
  holder = await guestSession(service);
  guest = await guestSession(service);
  await holder.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 1 });
});

const prove = (session: TestSession, uniqueDeviceId = TAG) =>
  session.call("ebtCustodyProof", { uniqueDeviceId, ...WRONG });

/** The holder's notice of attempts at the tag (rules §5). */
describe("the notice of attempts", () => {
  const notice = async (session: TestSession, uniqueDeviceId = TAG) =>
    (await session.call("ebtLookup", { uniqueDeviceId })).body.failedCustodyProofs;
  const attempts = async (count: number, session = guest, uniqueDeviceId = TAG) => {
    for (let i = 0; i < count; i++) await prove(session, uniqueDeviceId);
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
    await Promise.all(Array.from({ length: 50 }, () => prove(guest)));
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
