import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import {
  auditLog,
  deviceTicketLocks,
  guessCounters,
  idempotencyRecords,
  loadedPlans,
} from "../../db/schema.ts";
import { expectError } from "../test-support/expect-error.ts";
import { attestedSession, guestSession, staffSession, type TestSession } from "../test-support/logins.ts";
import { startService, type TestService } from "../test-support/service.ts";

const TAG = "ebt-21-0001";
const RIGHT = { recordLocator: "K7Q2ZD", surname: "MÜLLER" };

let service: TestService;
let guest: TestSession;
beforeEach(async () => {
  service = await startService();
  const { db } = service;
  await db.batch([
    db.delete(deviceTicketLocks),
    db.delete(guessCounters),
    db.delete(auditLog),
    db.delete(loadedPlans),
    db.delete(idempotencyRecords),
  ]);
  guest = await guestSession(service);
  await lock(TAG);
});

/** A tag locked to journey 2 by somebody else. */
async function lock(deviceId: string, endsIn = 3_600_000) {
  await service.db.insert(deviceTicketLocks).values({
    deviceId,
    planId: "demo-plan-2",
    journeyId: "demo-journey-2",
    baggageId: 3,
    holderSub: "somebody",
    lockedAt: service.now(),
    endsAt: service.now() + endsIn,
    requestId: `locked-${deviceId}`,
  });
}

const prove = (session: TestSession, proof: object = RIGHT, uniqueDeviceId = TAG) =>
  session.call("ebtCustodyProof", { uniqueDeviceId, ...proof });
const locks = () => service.db.select().from(deviceTicketLocks);
const wrong = { ...RIGHT, surname: "MEIER" };

describe("a custody proof", () => {
  it.each(["MÜLLER", "mueller", "Muller", "Herr-los Müller".slice(9)])("unlocks with %j", async (surname) => {
    const answer = await prove(guest, { recordLocator: "k7q2zd", surname });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ uniqueDeviceId: TAG, locked: false });
    expect(await locks()).toEqual([]);
  });

  it("leaves one audit row, without personal data", async () => {
    await prove(guest);
    const rows = (await service.db.select().from(auditLog)).filter(({ deviceId }) => deviceId === TAG);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ event: "lock_removed_by_proof", airline: "LH" });
    expect(JSON.stringify(rows)).not.toMatch(/MÜLLER|K7Q2ZD/i);
  });

  it("does not make the caller a holder of anything", async () => {
    await prove(guest);
    expect(await service.db.select().from(loadedPlans)).toEqual([]);
  });

  it("fails alike for a wrong locator, a wrong surname, another journey, no lock and no tag", async () => {
    await lock("ebt-21-0003", -1);
    const answers = [
      await prove(guest, { ...RIGHT, recordLocator: "K7Q2ZE" }),
      await prove(guest, wrong),
      await prove(await guestSession(service), { recordLocator: "ABC123", surname: "LOVELACE" }),
      await prove(guest, RIGHT, "ebt-21-0002"),
      await prove(guest, RIGHT, "ebt-21-0003"),
      await prove(guest, RIGHT, "no-such-tag"),
    ];
    for (const answer of answers) {
      expectError(answer, "custody_proof_invalid");
      expect(answer.text).toBe(answers[0]?.text);
      expect(answer.headers.has("Server-Timing")).toBe(false);
    }
    expect(await locks()).toHaveLength(2);
  });

  it("works once: the second of two right ones finds nothing to unlock", async () => {
    const other = await guestSession(service);
    const answers = await Promise.all([prove(guest), prove(other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    const removals = (await service.db.select().from(auditLog)).filter(({ deviceId }) => deviceId === TAG);
    expect(removals).toHaveLength(1);
  });
});

describe("the guess budget", () => {
  it("evaluates five of 200 parallel guesses at a tag, and not the right one after them", async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => prove(guest, wrong)));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(422), count(429)]).toEqual([5, 195]);
    const refused = await prove(guest);
    expectError(refused, "too_many_attempts");
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await locks()).toHaveLength(1);
  }, 30_000);

  it("counts tags that do not exist as it counts those that do", async () => {
    const statuses = [];
    for (let i = 0; i < 6; i++) {
      const proof = { ...wrong, recordLocator: `AAAAA${i}` };
      statuses.push([
        (await prove(guest, proof)).status,
        (await prove(guest, { ...proof, recordLocator: `BBBBB${i}` }, "no-such-tag")).status,
      ]);
    }
    expect(statuses).toEqual([...Array(5).fill([422, 422]), [429, 429]]);
  });

  it("counts a tag under all its spellings as one", async () => {
    for (let i = 0; i < 5; i++) await prove(guest, wrong, i % 2 ? TAG.toUpperCase() : ` ${TAG}`);
    expectError(await prove(guest, wrong), "too_many_attempts");
  });

  it("of strangers never blocks who proved more than a key, nor staff", async () => {
    await Promise.all(Array.from({ length: 20 }, () => prove(guest, wrong)));
    const attested = await attestedSession(service);
    expectError(await prove(attested, wrong), "custody_proof_invalid");
    expect((await prove(attested)).status).toBe(200);
    await lock("ebt-21-0002");
    expect((await prove(await staffSession(service), RIGHT, "ebt-21-0002")).status).toBe(200);
  });

  it("is given back by a right proof, and the tag's with its lock", async () => {
    for (let i = 0; i < 4; i++) await prove(guest, wrong);
    expect((await prove(guest)).status).toBe(200);
    const rows = await service.db.select().from(guessCounters);
    expect(rows.filter(({ key }) => key.startsWith("device:"))).toEqual([]);
    expect(rows.find(({ key }) => key.startsWith("locator:"))?.count).toBe(4);
  });

  it("renews itself after a quarter of an hour", async () => {
    for (let i = 0; i < 6; i++) await prove(guest, wrong);
    expectError(await prove(guest), "too_many_attempts");
    service.advance(901);
    expect((await prove(await guestSession(service))).status).toBe(200);
  });

  it("is one with that of journey look-ups, per locator", async () => {
    const attempt = () =>
      guest.call("journeyFromRecordLocator", { recordLocator: RIGHT.recordLocator, surname: "NOBODY" });
    for (let i = 0; i < 10; i++) expectError(await attempt(), "journey_not_found");
    expectError(await attempt(), "too_many_attempts");
    expectError(await prove(guest), "too_many_attempts");
  });

  it("adds limits per person, network and client in production", async () => {
    const production = await startService({ ENVIRONMENT: "production" });
    const session = await guestSession(production);
    const attempt = (i: number) =>
      session.call("journeyFromRecordLocator", { recordLocator: `CCCC${i}`, surname: "NOBODY" });
    for (let i = 0; i < 10; i++) expectError(await attempt(i), "journey_not_found");
    expectError(await attempt(10), "too_many_attempts");
    const keys = (await production.db.select().from(guessCounters)).map(({ key }) => key.split(":")[0]);
    expect(new Set(keys)).toEqual(new Set(["locator", "sub", "network", "client"]));
  });

  it("keeps no record locator and no name in its rows", async () => {
    await prove(guest, wrong);
    const rows = await service.db.all(sql`select * from guess_counters`);
    expect(JSON.stringify(rows)).not.toMatch(/K7Q2ZD|MEIER/i);
  });
});

describe("a custody proof sent again under its Idempotency-Key", () => {
  const again = (proof: object = RIGHT) =>
    guest.call("ebtCustodyProof", { uniqueDeviceId: TAG, ...proof }, { "Idempotency-Key": "k" });
  const counts = async () =>
    (await service.db.select().from(guessCounters)).map(({ key, count }) => [key, count]);

  it("has its first answer and does not unlock again what was locked since", async () => {
    const first = await again();
    await lock(TAG);
    const second = await again();
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect(second.headers.get("Idempotent-Replayed")).toBe("true");
    expect(await locks()).toHaveLength(1);
  });

  it("is no second guess, right or wrong", async () => {
    const first = await again(wrong);
    expectError(first, "custody_proof_invalid");
    const before = await counts();
    for (let i = 0; i < 9; i++) expect((await again(wrong)).text).toBe(first.text);
    expect(await counts()).toEqual(before);
  });

  it("with another body is refused before anything is compared", async () => {
    await again(wrong);
    expectError(await again(), "idempotency_key_reused");
    expect(await locks()).toHaveLength(1);
  });

  it("is answered beyond the budget, which stays spent", async () => {
    const first = await again(wrong);
    for (let i = 0; i < 6; i++) await prove(guest, wrong);
    expect((await again(wrong)).text).toBe(first.text);
    expectError(await prove(guest), "too_many_attempts");
  });

  it("keeps no answer beyond the budget", async () => {
    for (let i = 0; i < 5; i++) await prove(guest, wrong);
    expectError(await again(), "too_many_attempts");
    service.advance(901);
    guest = await guestSession(service, { app: guest.app });
    expect((await again()).status).toBe(200);
  });

  it("takes three D1 round trips at most", async () => {
    await again(wrong);
    await again(wrong);
    await prove(guest);
    expect(service.log.map(({ trips }) => trips as number).every((trips) => trips <= 3)).toBe(true);
  });
});
