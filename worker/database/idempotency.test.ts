import { desc } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, deviceTicketLocks, idempotencyRecords } from "../../db/schema.ts";
import { guestSession, staffSession, startWithTwoGuests, type TestSession } from "../test-support/logins.ts";
import { type Answer, expectError, startClean, type TestService } from "../test-support/service.ts";

const TAG = "ebt-21-0001";
const PROOF = { uniqueDeviceId: TAG, recordLocator: "ABC123", surname: "LOVELACE" };

let service: TestService;
let guest: TestSession;
let stranger: TestSession;
beforeEach(async () => {
  ({ service, guest, stranger } = await startWithTwoGuests());
});

const key = (text = "key-1") => ({ "Idempotency-Key": text });
const attach = (session: TestSession, headers = {}, baggageId = 1) =>
  session.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId }, headers);
const unlock = (session: TestSession, headers = {}, uniqueDeviceId = TAG) =>
  session.call("ebtUnlock", { uniqueDeviceId }, headers);
const locks = () => service.db.select().from(deviceTicketLocks);

function expectReplay(again: Answer, first: Answer): void {
  expect(first.headers.has("Idempotent-Replayed")).toBe(false);
  expect(again.headers.get("Idempotent-Replayed")).toBe("true");
  expect([again.status, again.text]).toEqual([first.status, first.text]);
}

describe("a request sent again under its Idempotency-Key", () => {
  it("is an attachment answered byte for byte, and nothing happens", async () => {
    const first = await attach(guest, key());
    const before = [await locks(), await service.db.select().from(auditLog)];
    service.advance(60);
    expectReplay(await attach(guest, key()), first);
    expect([await locks(), await service.db.select().from(auditLog)]).toEqual(before);
  });

  it("stays refused as it was, though it would succeed now", async () => {
    await attach(guest);
    const refusedAttach = await attach(stranger, key());
    const refusedUnlock = await unlock(stranger, key());
    expectError(refusedAttach, "device_locked");
    expectError(refusedUnlock, "not_lock_holder");
    const unknown = await attach(stranger, key("other"), 999_999);
    await unlock(guest);
    expectReplay(await attach(stranger, key()), refusedAttach);
    expectReplay(await unlock(stranger, key()), refusedUnlock);
    expectReplay(await attach(stranger, key("other"), 999_999), unknown);
    expect(await locks()).toEqual([]);
  });

  it("with another body is refused, and the first answer stays", async () => {
    const first = await attach(guest, key());
    expectError(await attach(guest, key(), 2), "idempotency_key_reused");
    expect((await locks())[0]?.baggageId).toBe(1);
    expectReplay(await attach(guest, key()), first);
  });
});

describe("an Idempotency-Key", () => {
  it("is one's own: a stranger's request under the same is carried out", async () => {
    await attach(guest, key());
    const device = { uniqueID: "ebt-21-0002" };
    const answer = await stranger.call("deviceAttachment", { device, baggageId: 3 }, key());
    expect(answer.status).toBe(200);
    expect(await locks()).toHaveLength(2);
  });

  it("of a stranger's proof is one's own as well: the tag is unlocked by the request that proves it", async () => {
    for (const prover of [stranger, guest]) {
      await attach(guest);
      const answer = await prover.call("ebtCustodyProof", PROOF, key());
      expect([answer.status, answer.headers.has("Idempotent-Replayed")]).toEqual([200, false]);
      expect(await locks()).toEqual([]);
    }
  });

  it("is of one endpoint: another's request under the same is carried out", async () => {
    await attach(guest, key());
    expect((await unlock(guest, key())).headers.has("Idempotent-Replayed")).toBe(false);
    expect(await locks()).toEqual([]);
    await attach(guest, key("other"));
    expect((await guest.call("ebtCustodyProof", PROOF, key("other"))).status).toBe(200);
  });

  it("is valid over midnight: records are stored by the day on which they were written", async () => {
    const day = 86_400_000;
    service.advance((day - 1_000 - (service.now() % day)) / 1_000);
    const session = await guestSession(service, { app: guest.app });
    const first = await attach(session, key());
    service.advance(2);
    expectReplay(await attach(session, key()), first);
  });

  it("is forgotten after a day", async () => {
    await attach(guest, key());
    await guest.call("ebtCustodyProof", { ...PROOF, surname: "BYRON" }, key());
    await unlock(guest);
    service.advance(24 * 3_600);
    const session = await refreshed();
    const answer = await attach(session, key(), 2);
    expect(answer.status).toBe(200);
    expect(answer.headers.has("Idempotent-Replayed")).toBe(false);
    const [createdAt, expiresAt] = [service.now(), service.now() + 86_400_000];
    const { createdAt: at } = idempotencyRecords;
    const [row] = await service.db.select().from(idempotencyRecords).orderBy(desc(at)).limit(1);
    expect(row).toMatchObject({ createdAt, expiresAt });
    expect((await session.call("ebtCustodyProof", PROOF, key())).status).toBe(200);
  });

  it("is valid after that day for the last request under it", async () => {
    expectError(await attach(guest, key(), 999_999), "baggage_not_found");
    service.advance(24 * 3_600);
    const session = await refreshed();
    const answer = await attach(session, key(), 2);
    service.advance(60);
    expectReplay(await attach(session, key(), 2), answer);
    expectError(await attach(session, key(), 999_999), "idempotency_key_reused");
  });

  it("is forgotten once its passenger has as many newer ones as they may, and staff's is not", async () => {
    service = await startClean({ IDEMPOTENCY_RECORDS_PER_SUBJECT: "3" });
    for (const [session, isKept] of [
      [await guestSession(service), false],
      [await staffSession(service), true],
    ] as const) {
      // A millisecond apart, so that their order is defined.
      const attachLater = async (...request: Parameters<typeof attach>) => {
        service.advance(0.001);
        return attach(...request);
      };
      const first = await attachLater(session, key("first"));
      for (let i = 0; i < 2; i++) await attachLater(session, key(`${i}`));
      expectReplay(await attachLater(session, key("first")), first);
      await unlock(session, key("another endpoint's"));
      expectReplay(await attachLater(session, key("first")), first);
      await attachLater(session, key("2"));
      const again = await attachLater(session, key("first"));
      expect(again.headers.has("Idempotent-Replayed")).toBe(isKept);
      await unlock(session);
    }
  });

  it("is not forgotten for newer ones of others, whichever keys those have and whenever they come", async () => {
    service = await startClean({ IDEMPOTENCY_RECORDS_PER_SUBJECT: "2" });
    const [one, other] = [await guestSession(service), await guestSession(service)];
    // Each a millisecond after the other: of one time, the hash of the key would say which is older.
    const free = (session: TestSession, name: string) => {
      service.advance(0.001);
      return unlock(session, key(name), "unlocked-tag");
    };
    const first = await free(one, "a");
    await free(one, "b");
    for (const name of ["a", "b", "c"]) await free(other, name);
    expectReplay(await free(one, "a"), first);
  });

  it("that is blank is none", async () => {
    await attach(guest, key(" "));
    expect(await service.db.select().from(idempotencyRecords)).toEqual([]);
  });

  it("is stored as a hash, without personal data", async () => {
    await attach(guest, key("ada@example.org"));
    const rows = JSON.stringify(await service.db.select().from(idempotencyRecords));
    expect(rows).not.toMatch(/example|LOVELACE|ABC123/);
  });

  it("stores no answer of a request that was not authenticated", async () => {
    const answer = await attach(guest, { ...key(), Authorization: "Bearer wrong" });
    expectError(answer, "unauthorized_token");
    expect((await attach(guest, key())).headers.has("Idempotent-Replayed")).toBe(false);
  });

  /** The guest again, a day later. */
  const refreshed = () => guestSession(service, { app: guest.app });
});
