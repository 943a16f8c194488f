import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, deviceTicketLocks, failedProofs, guessCounters, loadedPlans } from "../../db/schema.ts";
import { interruption } from "../test-support/guarded-database.ts";
import { lockToOther, prove, RIGHT, startWithLockedTag, TAG, WRONG } from "../test-support/locked-tag.ts";
import { guestSession, type TestSession } from "../test-support/logins.ts";
import { type Answer, expectError, startService, type TestService } from "../test-support/service.ts";

let service: TestService;
let guest: TestSession;
beforeEach(async () => {
  ({ service, guest } = await startWithLockedTag());
});

const locks = () => service.db.select().from(deviceTicketLocks);

describe("a custody proof", () => {
  it.each(["MÜLLER", "mueller", "Muller", "Herr-los Müller".slice(9)])("unlocks with %j", async (surname) => {
    const answer = await prove(guest, { recordLocator: "k7q2zd", surname });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ uniqueDeviceId: TAG, locked: false });
    // The tag is free; the caller has not become its holder.
    expect([await locks(), await service.db.select().from(loadedPlans)]).toEqual([[], []]);
  });

  it("leaves one audit row, without personal data", async () => {
    await prove(guest);
    const rows = (await service.db.select().from(auditLog)).filter(({ deviceId }) => deviceId === TAG);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ event: "custody_proven", airline: "LH" });
    expect(JSON.stringify(rows)).not.toMatch(/MÜLLER|K7Q2ZD/i);
  });

  it("fails alike for a wrong locator, a wrong surname, another journey, no lock and no tag", async () => {
    await lockToOther(service, "ebt-21-0003", 0);
    const answers = [
      await prove(guest, { ...RIGHT, recordLocator: "K7Q2ZE" }),
      await prove(guest, WRONG),
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

describe("a custody proof overtaken by the holder", () => {
  /** A prover who is held up, once, after the proof was compared and before it changes anything. */
  async function proveWhile(
    change: (again: () => Promise<Answer>) => Promise<unknown>,
    proof = RIGHT,
    headers = {},
  ) {
    const { database, beforeCall } = interruption();
    const prover = await guestSession(await startService({}, undefined, { database }));
    const attempt = () => prover.call("ebtCustodyProof", { uniqueDeviceId: TAG, ...proof }, headers);
    beforeCall(2, () => change(attempt));
    return attempt();
  }

  it.each([
    ["right", RIGHT, 200],
    ["wrong", WRONG, 422],
  ])("by itself under its Idempotency-Key has the other's answer, if it is %s", async (_, proof, status) => {
    let other: Answer | undefined;
    const key = { "Idempotency-Key": "k" };
    const answer = await proveWhile(async (again) => (other = await again()), proof, key);
    expect([answer.status, answer.text]).toEqual([status, other?.text]);
    expect(other?.headers.has("Idempotent-Replayed")).toBe(false);
    expect(answer.headers.get("Idempotent-Replayed")).toBe("true");
    // Holder and airline see one attempt, not its repetition.
    const failed = await service.db.select().from(failedProofs);
    expect(failed.map(({ count }) => count)).toEqual(status === 200 ? [] : [1]);
    const audited = await service.db.$count(auditLog, eq(auditLog.event, "custody_proof_failed"));
    expect(audited).toBe(failed.length);
  });

  it("costs no guess", async () => {
    expectError(await proveWhile(() => service.db.delete(deviceTicketLocks)), "custody_proof_invalid");
    expect(await service.db.select().from(guessCounters)).toEqual([]);
  });

  it.each([
    ["to another booking", { planId: "demo-plan-1", journeyId: "demo-journey-1", baggageId: 1 }],
    ["again", {}],
  ])("leaves a lock that was made %s before the commit", async (_, changes) => {
    const answer = await proveWhile(() =>
      service.db.update(deviceTicketLocks).set({ ...changes, requestId: "concurrent" }),
    );
    expectError(answer, "custody_proof_invalid");
    expect(await locks()).toMatchObject([{ deviceId: TAG, requestId: "concurrent" }]);
  });
});

describe("a custody proof sent again under its Idempotency-Key", () => {
  const again = (proof: object = RIGHT) =>
    guest.call("ebtCustodyProof", { uniqueDeviceId: TAG, ...proof }, { "Idempotency-Key": "k" });

  it("has its first answer and does not unlock again what was locked since", async () => {
    const first = await again();
    await lockToOther(service, TAG);
    const second = await again();
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect(second.headers.get("Idempotent-Replayed")).toBe("true");
    expect(await locks()).toHaveLength(1);
  });

  it("with another body is refused before anything is compared", async () => {
    await again(WRONG);
    expectError(await again(), "idempotency_key_reused");
    expect(await locks()).toHaveLength(1);
  });

  it("is answered beyond the budget, which stays spent", async () => {
    const first = await again(WRONG);
    for (let i = 0; i < 6; i++) await prove(guest, WRONG);
    expect((await again(WRONG)).text).toBe(first.text);
    expectError(await prove(guest), "too_many_attempts");
  });

  it("keeps no answer beyond the budget", async () => {
    for (let i = 0; i < 5; i++) await prove(guest, WRONG);
    expectError(await again(), "too_many_attempts");
    service.advance(901);
    guest = await guestSession(service, { app: guest.app });
    expect((await again()).status).toBe(200);
  });
});
