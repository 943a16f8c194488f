import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { guessCounters, loadedPlans, sessions } from "../../db/schema.ts";
import { boardingPassText } from "../test-support/boarding-pass-text.ts";
import { interruption } from "../test-support/guarded-database.ts";
import { lockToOther, prove, RIGHT, TAG, WRONG } from "../test-support/locked-tag.ts";
import {
  crowdOfGuests,
  federatedSession,
  guestSession,
  staffSession,
  type TestSession,
} from "../test-support/logins.ts";
import { changeRow, lastSession } from "../test-support/rows.ts";
import { expectError, startClean, startService, type TestService } from "../test-support/service.ts";

/** Attacks on the one guess budget (rules §2). */

let service: TestService;
beforeEach(async () => {
  service = await startClean({ ENVIRONMENT: "production" });
  await lockToOther(service, TAG);
});

const BOOKING = { recordLocator: "ABC123", surname: "LOVELACE" };
const from = (address: string) => ({ "CF-Connecting-IP": address });
const look = (session: TestSession, recordLocator: string, surname: string, headers = {}) =>
  session.call("journeyFromRecordLocator", { recordLocator, surname }, headers);
const counters = async () =>
  Object.fromEntries(
    (await service.db.select().from(guessCounters)).map(({ key, count }) => [key, count] as const),
  );
/** A guest whose key is a passkey: any software can make one. */
async function passkeySession(): Promise<TestSession> {
  const session = await guestSession(service);
  const { id } = await lastSession(service);
  await changeRow(service.db, sessions, id, { evidence: "webauthn" });
  return session;
}

describe("replays under one Idempotency-Key", () => {
  const replay = (session: TestSession, proof: object) =>
    session.call("ebtCustodyProof", { uniqueDeviceId: TAG, ...proof }, { "Idempotency-Key": "k" });

  it("of a right proof, forty at once, lower no counter", async () => {
    const session = await guestSession(service);
    for (let i = 0; i < 3; i++) await prove(session, { ...WRONG, recordLocator: `AAAAA${i}` }, `tag-${i}`);
    for (let i = 0; i < 3; i++) await prove(session, WRONG, `tag-${i}`);
    const before = await counters();
    await Promise.all(Array.from({ length: 40 }, () => replay(session, RIGHT)));
    for (let i = 0; i < 40; i++) await replay(session, RIGHT);
    const after = await counters();
    for (const [key, count] of Object.entries(before)) expect([key, after[key]]).toEqual([key, count]);
  });

  it("of a wrong proof, however many at once, are one guess", async () => {
    const session = await guestSession(service);
    await Promise.all(Array.from({ length: 8 }, () => replay(session, WRONG)));
    expect(Object.values(await counters())).toEqual([1, 1, 1, 1]);
  });
});

describe("a right guess costs nothing, and returns nothing", () => {
  it("where others guess while it is looked at", async () => {
    const { database, beforeCall } = interruption();
    const slow = await startService({ ENVIRONMENT: "production" }, undefined, { database });
    const knowing = await guestSession(slow);
    beforeCall(2, async () => {
      slow.advance(901);
      const guesser = await guestSession(slow);
      for (let i = 0; i < 4; i++) await look(guesser, BOOKING.recordLocator, "MARPLE");
    });
    expect((await look(knowing, BOOKING.recordLocator, BOOKING.surname)).status).toBe(200);
    const [locator] = Object.entries(await counters()).filter(([key]) => key.startsWith("locator:"));
    expect(locator?.[1]).toBe(4);
  });

  it("and not the guesses at other locators of the same boarding pass", async () => {
    const session = await guestSession(service);
    const date = new Date(service.now() + 86_400_000).toISOString().slice(0, 10);
    const leg = (recordLocator: string) =>
      ({ recordLocator, flight: "SK1234", route: "OSL-ARN", date }) as const;
    const spray = async (i: number) => {
      const legs = [...["A", "B", "C"].map((letter) => leg(`SPRA${letter}${i}`)), leg("ABC123")];
      return session.call("journeyFromBcbp", { scanData: boardingPassText("LOVELACE/ADA", legs) });
    };
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await spray(i)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const locators = Object.entries(await counters()).filter(([key]) => key.startsWith("locator:"));
    expect(locators.map(([, count]) => count)).toEqual(Array(9).fill(1));
  });

  it.each([
    { guesses: 9, others: 1 },
    { guesses: 2, others: 8 },
  ])("nor shows after $guesses guesses that a pass of $others more locators is right", async (spent) => {
    service = await startService({ ENVIRONMENT: "production" });
    const session = await guestSession(service);
    for (let i = 0; i < spent.guesses; i++) await look(session, `SPENT${i}`, "MARPLE");
    const date = new Date(service.now() + 86_400_000).toISOString().slice(0, 10);
    const locators = [...Array.from({ length: spent.others }, (_, i) => `OTHER${i}`), "ABC123"];
    const legs = locators.map(
      (recordLocator) => ({ recordLocator, flight: "SK1234", route: "OSL-ARN", date }) as const,
    );
    const before = await counters();
    const answers = [];
    for (const name of ["MARPLE/ADA", "LOVELACE/ADA"]) {
      const answer = await session.call("journeyFromBcbp", { scanData: boardingPassText(name, legs) });
      answers.push([answer.status, answer.headers.get("Retry-After")]);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]?.[0]).toBe(429);
    expect(await counters()).toEqual(before);
  });

  it("and not the guesses at other bookings that a host names beside it", async () => {
    const wrong = Array.from({ length: 9 }, (_, i) => ({ ...BOOKING, recordLocator: `NAMED${i}` }));
    await federatedSession(service, { claims: { sub: "named", travel_plans: [BOOKING, ...wrong] } });
    // The ten locators', the person's and the network's.
    expect(Object.values(await counters()).sort()).toEqual([0, ...Array(9).fill(1), 9, 9]);
  });
});

describe("a flood", () => {
  /** Spends what strangers may guess at the tag, and at the locator. */
  const spendAll = async () => {
    for (const [i, stranger] of (await crowdOfGuests(service, 12)).entries())
      await (i < 5 ? prove(stranger, WRONG) : look(stranger, RIGHT.recordLocator, "MARPLE"));
  };

  it("from many networks shares no counter with a guest of another one who guesses at something else", async () => {
    const [one, other] = [await guestSession(service), await guestSession(service)];
    await one.call("ebtCustodyProof", { uniqueDeviceId: "tag-1", ...WRONG }, from("2001:db8:1::1"));
    const before = Object.keys(await counters());
    await other.call("ebtCustodyProof", { uniqueDeviceId: "tag-2", ...BOOKING }, from("2001:db9:1::1"));
    expect(Object.values(await counters())).toEqual([...before, ...before].map(() => 1));
  });

  it("from ever other networks of one hosting range is stopped", async () => {
    service = await startService({
      ENVIRONMENT: "production",
      GUESSES_PER_CARRIER_UNVOUCHED_PER_HOUR: "3",
    });
    const statuses = [];
    for (let i = 0; i < 5; i++) {
      const session = await guestSession(service);
      statuses.push((await look(session, `RANGE${i}`, "MARPLE", from(`2001:db8:${i}::1`))).status);
    }
    expect(statuses).toEqual([404, 404, 404, 429, 429]);
    const elsewhere = await look(await guestSession(service), "RANGE5", "MARPLE", from("2001:db9::1"));
    expect(elsewhere.status).toBe(404);
  });

  it("of software passkeys at one booking refuses neither hosts' passengers nor staff", async () => {
    for (let i = 0; i < 31; i++)
      await look(await passkeySession(), RIGHT.recordLocator, "MARPLE", from(`10.1.${i}.7`));
    expect((await prove(await federatedSession(service))).status).toBe(200);
    await lockToOther(service, TAG);
    expect((await prove(await staffSession(service))).status).toBe(200);
  });

  it("of vouched passengers at one booking and tag does not refuse staff", async () => {
    for (let i = 0; i < 31; i++) {
      const passenger = await federatedSession(service, { claims: { sub: `traveller-${i}` } });
      await prove(passenger, WRONG);
    }
    expect((await prove(await staffSession(service))).status).toBe(200);
  });

  it("at one booking and its tag does not refuse a guest who has loaded that booking", async () => {
    const session = await guestSession(service);
    const { sub } = await lastSession(service);
    await service.db.insert(loadedPlans).values({ sub, planId: "demo-plan-2", loadedAt: service.now() });
    await spendAll();
    expectError(await prove(await guestSession(service)), "too_many_attempts");
    expect((await look(session, RIGHT.recordLocator, RIGHT.surname)).status).toBe(200);
    expect((await prove(session)).status).toBe(200);
  });

  it("refuses a guest who has loaded another booking alone, at the tag and at the locator", async () => {
    const session = await guestSession(service);
    const { sub } = await lastSession(service);
    await service.db.insert(loadedPlans).values({ sub, planId: "demo-plan-1", loadedAt: service.now() });
    await spendAll();
    const elsewhere = { recordLocator: "NOSUCH", surname: "MARPLE" };
    expectError(await prove(session, elsewhere), "too_many_attempts");
    expectError(await look(session, RIGHT.recordLocator, RIGHT.surname), "too_many_attempts");
  });
});

it.each(["federated", "apple-appattest", "play-integrity", "demo"] as const)(
  "a caller for whom %s vouches shares no counter of tag, booking or network with strangers",
  async (evidence) => {
    const session = await guestSession(service);
    const { id, sub } = await lastSession(service);
    await changeRow(service.db, sessions, id, { evidence });
    const guess = { uniqueDeviceId: TAG, ...WRONG };
    const answer = await session.call("ebtCustodyProof", guess, from("2001:db8:1::1"));
    expectError(answer, "custody_proof_invalid");
    const shared = Object.keys(await counters()).filter((key) => key !== `sub:${sub}`);
    expect(shared.map((key) => key.split(":").slice(0, 2).join(":")).sort()).toEqual([
      "device:vouched",
      "locator:vouched",
      "network:vouched",
    ]);
  },
);

it("a refusal over the budget writes at most one row", async () => {
  const session = await guestSession(service);
  const address = from("2001:db8::1");
  const guess = () => session.call("ebtCustodyProof", { uniqueDeviceId: TAG, ...WRONG }, address);
  for (let i = 0; i < 5; i++) await guess();
  const before = await counters();
  expectError(await guess(), "too_many_attempts");
  expect(service.log.at(-1)).toMatchObject({ rowsWritten: expect.toSatisfy((rows) => rows <= 1) });
  expect(await counters()).toEqual(before);
});

it("a refused guess spends none of the counters of other guesses", async () => {
  const session = await guestSession(service);
  for (let i = 0; i < 10; i++) await look(session, `OTHER${i}`, "MARPLE");
  for (let i = 0; i < 12; i++) expectError(await look(session, "ABC123", "MARPLE"), "too_many_attempts");
  expect((await look(await guestSession(service), "ABC123", "LOVELACE")).status).toBe(200);
  expect(
    await service.db.all(sql`select 1 from guess_counters where key like 'locator:%' and count > 1`),
  ).toEqual([]);
});
