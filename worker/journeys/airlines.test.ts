import { eq, like } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, clients, guessCounters, loadedPlans } from "../../db/schema.ts";
import { boardingPassText, demoPasses } from "../test-support/boarding-pass-text.ts";
import { dayAhead, TOMORROW } from "../test-support/days.ts";
import { startFeeding } from "../test-support/feeds.ts";
import { federatedSession, guestSession, staffOf, subOf, type TestSession } from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { type Answer, expectError, type TestService } from "../test-support/service.ts";

/** Each airline gives out its own record locators: one of SK's may be one of LH's, by accident or on purpose (rules §4). */

/** The booking of LH in the development data. */
const MUELLER = { recordLocator: "K7Q2ZD", surname: "Müller" };
const LH_JOURNEY = "demo-journey-2";

let service: TestService;
let staff: TestSession;
let guest: TestSession;
beforeEach(async () => {
  ({ service } = await startFeeding());
  staff = await staffOf(service, "SK");
  guest = await guestSession(service);
});

const sk = (more = {}) => ({
  ...{ carrier: "SK", number: "1460", date: dayAhead(0), from: "OSL", to: "CPH" },
  ...more,
});

/** SK's staff feed a booking of SK under LH's locator and name; it ends before that of LH. Returns its journey. */
async function feedNamesake(flights: readonly object[] = [sk()], session = staff): Promise<string> {
  const passengers = [{ surname: "MÜLLER", givenName: "JÜRGEN" }];
  const body = { airline: "SK", recordLocator: MUELLER.recordLocator, flights, passengers };
  const answer = await session.call("journeysFromAirlinePayload", body);
  expect(answer.status).toBe(200);
  return answer.body.journeys[0].journeyId;
}

const load = (session: TestSession, more = {}) =>
  session.call("journeyFromRecordLocator", { ...MUELLER, ...more });
const plansOf = async (session: TestSession) => {
  const rows = await service.db
    .select()
    .from(loadedPlans)
    .where(eq(loadedPlans.sub, subOf(session)));
  return rows.map(({ planId }) => planId);
};
const counted = async () =>
  (await service.db.select().from(guessCounters)).reduce((sum, { count }) => sum + count, 0);

function expectQuestion(answer: Answer): void {
  expectError(answer, "airline_required");
  expect(answer.body.errors).toEqual(["LH", "SK"]);
}

describe("a booking that another airline has under the same locator and surname", () => {
  it("is not loaded in the place of the passenger's own", async () => {
    await feedNamesake();
    expectQuestion(await load(guest));
    expect(await plansOf(guest)).toEqual([]);
  });

  it.each([["LH"], ["lh"]])("is left alone where the passenger names %j", async (airline) => {
    const theirs = await feedNamesake();
    const answer = await load(guest, { airline });
    expect([answer.status, answer.body.journeyId]).toEqual([200, LH_JOURNEY]);
    expect(await plansOf(guest)).toEqual(["demo-plan-2"]);
    expect(theirs).not.toBe(LH_JOURNEY);
  });

  it("is no question where it has another surname, or where no booking is of its airline", async () => {
    await feedNamesake();
    const other = { airline: "SK", recordLocator: "ABC123", flights: [sk()] };
    const passengers = [{ surname: "BYRON", givenName: "ADA" }];
    await staff.call("journeysFromAirlinePayload", { ...other, passengers });
    const lovelace = { recordLocator: "ABC123", surname: "LOVELACE" };
    expect((await guest.call("journeyFromRecordLocator", lovelace)).status).toBe(200);
    expectError(await load(guest, { airline: "BA" }), "journey_not_found");
  });

  it("asks staff who act for both for the airline, and no others", async () => {
    const theirs = await feedNamesake();
    expect((await load(staff)).body.journeyId).toBe(theirs);
    expectError(await load(staff, { airline: "LH" }), "journey_not_found");
    const agent = await staffOf(service, "SK", "LH");
    expectQuestion(await load(agent));
    expect((await load(agent, { airline: "LH" })).body.journeyId).toBe(LH_JOURNEY);
  });
});

describe("the question for the airline", () => {
  it("costs nothing, as a right guess, and takes the D1 calls of a wrong one", async () => {
    await feedNamesake();
    await load(guest);
    expect(await counted()).toBe(0);
    const { calls } = service.log.at(-1) ?? {};
    await load(guest, { surname: "Meier" });
    expect(await counted()).toBe(1);
    // A refusal's audit row has no part in it: neither is audited.
    expect(service.log.at(-1)?.calls).toBe(calls);
  });

  it("is not asked once the budget is spent, however many guess at once", async () => {
    await feedNamesake();
    const cap = service.settings.limits.guessesPerLocatorUnvouched;
    for (let i = 0; i < cap; i++) await load(guest, { surname: `Marple${i}` });
    expectError(await load(guest), "too_many_attempts");
    await service.db.delete(guessCounters);
    const surnames = Array.from({ length: 40 }, (_, i) => `Marple${i}`);
    const answers = await Promise.all(surnames.map((surname) => load(guest, { surname })));
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(cap);
    expectError(await load(guest), "too_many_attempts");
  });

  it("leaves the other airline's booking a guess for a caller who has loaded one of them", async () => {
    await feedNamesake();
    await load(guest, { airline: "SK" });
    const cap = service.settings.limits.guessesPerLocatorUnvouched;
    for (let i = 0; i < cap; i++)
      expectError(await load(guest, { surname: `Marple${i}`, airline: "LH" }), "journey_not_found");
    expectError(await load(guest, { airline: "LH" }), "too_many_attempts");
  });
});

describe("a boarding pass", () => {
  const scan = (session: TestSession, scanData: string, more = {}) =>
    session.call("journeyFromBcbp", { scanData, ...more });
  const lh401 = { carrier: "LH", number: "401", date: TOMORROW, from: "JFK", to: "FRA" };
  const onward = sk({ number: "1476", date: TOMORROW, from: "FRA", to: "OSL" });

  it("finds the booking of its carrier, although another airline's has the same flight", async () => {
    await feedNamesake([sk(), lh401, onward]);
    const answer = await scan(guest, demoPasses(TOMORROW).mueller);
    expect(answer.body.journeyId).toBe(LH_JOURNEY);
    expect(await plansOf(guest)).toEqual(["demo-plan-2"]);
  });

  it("with legs of both airlines finds the booking of the first leg's carrier, without a question", async () => {
    await feedNamesake([sk(), onward]);
    const legs = [
      { recordLocator: "K7Q2ZD", flight: "LH0401", route: "JFK-FRA", date: TOMORROW },
      { recordLocator: "K7Q2ZD", flight: "SK1476", route: "FRA-OSL", date: TOMORROW },
    ] as const;
    const answer = await scan(guest, boardingPassText("MUELLER/JUERGEN", legs));
    expect(answer.body.journeyId).toBe(LH_JOURNEY);
  });

  it("of a carrier that has none is a question, which its airline answers", async () => {
    const ba762 = { carrier: "BA", number: "762", date: TOMORROW, from: "LHR", to: "OSL" };
    const theirs = await feedNamesake([ba762, sk({ date: TOMORROW, from: "OSL", to: "CPH" })]);
    const lh = { ...sk({ date: TOMORROW }), carrier: "LH", number: "870" };
    await (await staffOf(service, "LH")).call("journeysFromAirlinePayload", {
      ...{ airline: "LH", recordLocator: MUELLER.recordLocator, flights: [ba762, lh] },
      passengers: [{ surname: "MÜLLER", givenName: "JÜRGEN" }],
    });
    const leg = { recordLocator: "K7Q2ZD", flight: "BA0762", route: "LHR-OSL", date: TOMORROW } as const;
    const pass = boardingPassText("MUELLER/JUERGEN", [leg]);
    expectQuestion(await scan(guest, pass));
    expect([await plansOf(guest), await counted()]).toEqual([[], 0]);
    expect((await scan(guest, pass, { airline: "SK" })).body.journeyId).toBe(theirs);
  });
});

describe("a host's claim", () => {
  const claim = () =>
    federatedSession(service, { claims: { sub: crypto.randomUUID(), travel_plans: [MUELLER] } });
  const audited = () => service.db.select().from(auditLog).where(eq(auditLog.event, "travel_plan_ambiguous"));

  it("that matches bookings of several of its airlines loads none, and leaves a row for each", async () => {
    await feedNamesake();
    const session = await claim();
    expect(await plansOf(session)).toEqual([]);
    expect(await counted()).toBe(0);
    const rows = await audited();
    expect(rows.map(({ airline }) => airline).sort()).toEqual(["LH", "SK"]);
    expect(rows[0]).toMatchObject({ sub: subOf(session), clientId: "client-passenger" });
    expect(JSON.stringify(rows)).not.toMatch(/K7Q2ZD|M.LLER/i);
    expect((await load(session, { airline: "LH" })).body.journeyId).toBe(LH_JOURNEY);
  });

  it("loads what its client's airlines have, whatever others' staff feed", async () => {
    await feedNamesake();
    await changeRow(service.db, clients, "client-passenger", { airlines: ["LH"] });
    expect(await plansOf(await claim())).toEqual(["demo-plan-2"]);
    await changeRow(service.db, clients, "client-passenger", { airlines: ["SK", "LH"] });
  });

  it("loads the others that it names", async () => {
    await feedNamesake();
    const lovelace = { recordLocator: "ABC123", surname: "LOVELACE" };
    const claims = { sub: crypto.randomUUID(), travel_plans: [MUELLER, lovelace] };
    expect(await plansOf(await federatedSession(service, { claims }))).toEqual(["demo-plan-1"]);
  });
});

it("proves custody of the lock's booking without the airline, which the tag's lock determines", async () => {
  await feedNamesake();
  await load(guest, { airline: "LH" });
  const uniqueDeviceId = "ebt-20-0006";
  await guest.call("deviceAttachment", { device: { uniqueID: uniqueDeviceId }, baggageId: 3 });
  const finder = await guestSession(service);
  const answer = await finder.call("ebtCustodyProof", { uniqueDeviceId, ...MUELLER });
  expect([answer.status, answer.body]).toEqual([200, { uniqueDeviceId, locked: false }]);
  expect(await service.db.$count(auditLog, like(auditLog.event, "custody_proven"))).toBeGreaterThan(0);
});
