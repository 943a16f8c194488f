import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { Journey, JourneyWithCompanions, parseBody } from "../../core/api/index.ts";
import { OLDER_UNTIL, storedTokens } from "../../core/bag/surname.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { deviceTicketLocks, flights, journeys, loadedPlans, travelPlans } from "../../db/schema.ts";
import { seal } from "../secrets/sealed.ts";
import { boardingPassText, demoPasses, type PrintedLeg } from "../test-support/boarding-pass-text.ts";
import {
  attestedSession,
  federatedSession,
  guestSession,
  staffSession,
  type TestSession,
} from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { expectError, startClean, startService, type TestService } from "../test-support/service.ts";

let service: TestService;
let guest: TestSession;
let date: string;
beforeEach(async () => {
  service = await startClean();
  guest = await guestSession(service);
  date = new Date(service.now() + 86_400_000).toISOString().slice(0, 10);
});

const load = (session: TestSession, recordLocator: unknown, surname: unknown) =>
  session.call("journeyFromRecordLocator", { recordLocator, surname });

describe("loading a journey by record locator and surname", () => {
  it("gives the whole journey, as the contract describes it", async () => {
    const answer = await load(guest, "ABC123", "LOVELACE");
    expect(answer.status).toBe(200);
    expect(parseBody(Journey, answer.body)).toEqual({ ok: true, value: answer.body });
    expect(answer.body).toMatchObject({
      recordLocator: "ABC123",
      passenger: { surname: "LOVELACE", givenName: "ADA" },
      flights: [
        { carrier: "SK", number: "1234", date, from: "OSL", to: "ARN" },
        { carrier: "SK", number: "0999", date, from: "ARN", to: "HEL" },
      ],
      baggage: [
        { baggageId: 1, licencePlate: "0117123456" },
        { baggageId: 2, licencePlate: "0117123457" },
      ],
      departureAirport: "OSL",
      destinationAirport: "HEL",
    });
    expect(answer.body.baggage[0]).not.toHaveProperty("attachedDevice");
    expect(answer.body).not.toHaveProperty("companions");
    expect(answer.headers.has("Server-Timing")).toBe(false);
  });

  it.each([
    ["K7Q2ZD", "MÜLLER"],
    ["OB1NKE", "O’Brien MR"],
  ])("takes %j with %j", async (locator, surname) => {
    expect((await load(guest, locator, surname)).status).toBe(200);
  });

  it.each([
    ["ABC123", "MÜLLER"],
    ["K7Q2ZD", "MÜLLE"],
    ["ABC124", "LOVELACE"],
  ])("finds nothing under %j with %j", async (locator, surname) => {
    expectError(await load(guest, locator, surname), "journey_not_found");
  });

  it("no longer finds a booking that is past", async () => {
    await changeRow(service.db, travelPlans, "demo-plan-1", { endsAt: service.now() });
    expectError(await load(guest, "ABC123", "LOVELACE"), "journey_not_found");
    expect(await service.db.select().from(loadedPlans)).toEqual([]);
  });

  it("no longer shows a passenger whose name has been erased", async () => {
    await changeRow(service.db, journeys, "demo-journey-1", { passengerSealed: null });
    expectError(await load(guest, "ABC123", "LOVELACE"), "journey_not_found");
  });

  it("shows the companions of the same booking", async () => {
    await changeRow(service.db, journeys, "demo-journey-3", { planId: "demo-plan-1" });
    const answer = await load(guest, "ABC123", "LOVELACE");
    expect(answer.body.companions).toHaveLength(1);
    expect(answer.body.companions[0]).toMatchObject({ passenger: { surname: "O'BRIEN" } });
  });

  it("makes the plan the caller's own, for passengers only", async () => {
    await load(guest, "ABC123", "LOVELACE");
    await load(await staffSession(service), "OB1NKE", "O'BRIEN");
    const rows = await service.db.select().from(loadedPlans);
    expect(rows.map(({ planId }) => planId)).toEqual(["demo-plan-1"]);
  });
});

describe("the caller's own journeys", () => {
  it("are none at first, then those that were loaded, the same as when they were", async () => {
    expect((await guest.call("journeys", {})).body).toEqual({ journeys: [] });
    const loaded = await load(guest, "ABC123", "LOVELACE");
    const list = await guest.call("journeys");
    expect(list.body).toEqual({ journeys: [loaded.body] });
    expect(list.headers.get("Server-Timing")).toMatch(/desc="1"/);
    const one = await guest.call("journey", {}, {}, `/v2/journeys/${loaded.body.journeyId}`);
    expect(one.body).toEqual(loaded.body);
  });

  it("are no more once their booking is past", async () => {
    await load(guest, "ABC123", "LOVELACE");
    await changeRow(service.db, travelPlans, "demo-plan-1", { endsAt: service.now() });
    expect((await guest.call("journeys")).body).toEqual({ journeys: [] });
    expectError(await guest.call("journey", {}, {}, "/v2/journeys/demo-journey-1"), "journey_not_found");
  });

  it("name the tag a bag is on until its lock is over, swept or not", async () => {
    await load(guest, "ABC123", "LOVELACE");
    await guest.call("deviceAttachment", { device: { uniqueID: "ebt-21-0001" }, baggageId: 1 });
    const attached = async () => (await guest.call("journeys")).body.journeys[0].baggage[0].attachedDevice;
    expect(await attached()).toBe("ebt-21-0001");
    await service.db.update(deviceTicketLocks).set({ endsAt: service.now() });
    expect(await attached()).toBeUndefined();
  });

  it("are no other caller's", async () => {
    const { body } = await load(guest, "ABC123", "LOVELACE");
    const stranger = await attestedSession(service);
    const foreign = await stranger.call("journey", {}, {}, `/v2/journeys/${body.journeyId}`);
    const unknown = await stranger.call("journey", {}, {}, "/v2/journeys/no-such-journey");
    expectError(foreign, "journey_not_found");
    expect(foreign.text).toBe(unknown.text);
    expect((await stranger.call("journeys")).body).toEqual({ journeys: [] });
  });

  it("may be any of their airlines' for staff", async () => {
    const staff = await staffSession(service);
    expect((await staff.call("journey", {}, {}, "/v2/journeys/demo-journey-1")).status).toBe(200);
    expectError(await staff.call("journey", {}, {}, "/v2/journeys/demo-journey-2"), "journey_not_found");
  });
});

/** Names that were stored before the folding changed: `Lord-Jones` was `JONES`. */

const DAY = 86_400_000;
const TAG = "ebt-21-0001";

/** A service on the day of `now`; Ada is a Lord-Jones whose name was stored long ago, and holds a tag. */
async function startOn(now: number) {
  const service = await startClean();
  service.advance((now - service.now()) / 1_000);
  const date = new Date(now + DAY).toISOString().slice(0, 10);
  const tokens = await storedTokens(service.settings.pepperKey, "ABC123", "Jones");
  const { db } = service;
  await db.batch([
    changeRow(db, travelPlans, "demo-plan-1", { endsAt: now + 3 * DAY }),
    db.update(flights).set({ date }).where(eq(flights.journeyId, "demo-journey-1")),
    changeRow(db, journeys, "demo-journey-1", { surnameTokens: toBase64Url(tokens) }),
  ]);
  const holder = await guestSession(service);
  await holder.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 1 });
  const caller = await guestSession(service);
  const booking = { recordLocator: "ABC\u00ad123\u200f", surname: "Lord-Jones" };
  const leg = { recordLocator: "ABC123", flight: "SK1234", route: "OSL-ARN", date } as const;
  const answers = [
    await caller.call("ebtCustodyProof", { uniqueDeviceId: TAG, ...booking }),
    await caller.call("journeyFromRecordLocator", booking),
    await caller.call("journeyFromBcbp", { scanData: boardingPassText("LORD-JONES/ADA", [leg]) }),
  ];
  return answers.map(({ status }) => status);
}

describe("a name stored in the older folding", () => {
  it("is found by proofs and look-ups alike until the day", async () => {
    expect(await startOn(OLDER_UNTIL - 1_000)).toEqual([200, 200, 200]);
  });

  it("is found by none of them from the day on", async () => {
    expect(await startOn(OLDER_UNTIL + 1_000)).toEqual([422, 404, 404]);
  });
});

const scan = (session: TestSession, scanData: unknown, more = {}) =>
  session.call("journeyFromBcbp", { scanData, ...more });
const flight = (more: Partial<PrintedLeg> = {}): PrintedLeg => ({
  recordLocator: "ABC123",
  flight: "SK1234",
  route: "OSL-ARN",
  date,
  ...more,
});
const HEADER = "the header of the first block";
const nextDay = (days: number) => new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

describe("loading a journey by a boarding pass", () => {
  it("returns the same journey as record locator and surname, and makes the plan the caller's own", async () => {
    const answer = await scan(guest, demoPasses(date).lovelace);
    expect(answer.status).toBe(200);
    expect(parseBody(JourneyWithCompanions, answer.body)).toEqual({ ok: true, value: answer.body });
    const typed = await (await attestedSession(service)).call("journeyFromRecordLocator", {
      recordLocator: "ABC123",
      surname: "LOVELACE",
    });
    expect(answer.body).toEqual(typed.body);
    expect((await guest.call("journeys")).body.journeys).toEqual([answer.body]);
    expect(answer.headers.has("Server-Timing")).toBe(false);
  });

  it("finds names as printers write them, and flight numbers with or without zeros", async () => {
    const { mueller, obrien } = demoPasses(date);
    expect((await scan(guest, mueller)).body.recordLocator).toBe("K7Q2ZD");
    expect((await scan(guest, obrien)).body.recordLocator).toBe("OB1NKE");
  });

  it.each([
    ["data behind the block", (pass: string) => `${pass}AKAlfj2mu1aTkVQ5xj83jTf/c5bb+8G61Q==`, ["a block"]],
    [
      "a block without its sign",
      (pass: string) => `${pass.slice(0, 58)}0C3JIJI7O4M28C${pass.slice(60)}`,
      [HEADER],
    ],
    ["nothing unread", (pass: string) => pass.replace("EABC123", "Eabc123"), undefined],
  ])("matches what is mandatory, and logs what else was dropped: %s", async (_, spoil, unread) => {
    expect((await scan(guest, spoil(demoPasses(date).lovelace))).status).toBe(200);
    expect(service.log.at(-1)?.unread).toEqual(unread);
  });

  it("distinguishes passengers of one surname by their given names", async () => {
    await addSister("demo-sister", "EVA");
    const passOf = (given: string) => boardingPassText(`LOVELACE/${given}`, [flight()]);
    const [ada, eva] = [await scan(guest, passOf("ADAMS")), await scan(guest, passOf("EVAMISS"))];
    expect(ada.body.passenger.givenName).toBe("ADA");
    expect(eva.body.passenger.givenName).toBe("EVA");
    expect(eva.body.companions[0].passenger.givenName).toBe("ADA");
  });

  it("shows staff the journeys of their airlines, without making them holders", async () => {
    const staff = await staffSession(service);
    expect((await scan(staff, demoPasses(date).lovelace)).status).toBe(200);
    expectError(await scan(staff, demoPasses(date).mueller), "journey_not_found");
    expect(await service.db.select().from(loadedPlans)).toEqual([]);
  });
});

describe("a boarding pass that finds nothing", () => {
  const WRONG: readonly (readonly [string, (ok: PrintedLeg) => readonly [string, PrintedLeg]])[] = [
    ["another surname", (ok) => ["MARPLE/ADA", ok]],
    ["another locator", (ok) => ["LOVELACE/ADA", { ...ok, recordLocator: "ABC124" }]],
    ["another carrier", (ok) => ["LOVELACE/ADA", { ...ok, flight: "LH1234" }]],
    ["another number", (ok) => ["LOVELACE/ADA", { ...ok, flight: "SK1235" }]],
    ["another day", (ok) => ["LOVELACE/ADA", { ...ok, date: nextDay(1) }]],
    [
      "the flight of another booking",
      (ok) => ["LOVELACE/ADA", { ...ok, flight: "SK0910", route: "EWR-CPH" }],
    ],
  ];

  it.each(WRONG)("is answered alike for %s", async (_, spoil) => {
    const [name, leg] = spoil(flight());
    const answer = await scan(guest, boardingPassText(name, [leg]));
    expectError(answer, "journey_not_found");
    const nothing = await scan(guest, boardingPassText("MARPLE/NO", [flight({ recordLocator: "ZZZ999" })]));
    expect(answer.text).toBe(nothing.text);
    expect(await service.db.select().from(loadedPlans)).toEqual([]);
  });

  it("no longer finds a booking that is past", async () => {
    await changeRow(service.db, travelPlans, "demo-plan-1", { endsAt: service.now() });
    expectError(await scan(guest, demoPasses(date).lovelace), "journey_not_found");
    expect(await service.db.select().from(loadedPlans)).toEqual([]);
  });
});

it("guessing with boarding passes counts every locator of a pass as a guess of its own", async () => {
  const production = await startService({ ENVIRONMENT: "production" });
  const legs = Array.from({ length: 9 }, (_, i) => flight({ recordLocator: `AAAAA${i}` }));
  const scanData = boardingPassText("MARPLE/NO", legs);
  const headers = { "CF-Connecting-IP": "2001:db8::1" };
  for (const session of [await federatedSession(production), await guestSession(production)]) {
    const answer = () => session.call("journeyFromBcbp", { scanData }, headers);
    expectError(await answer(), "journey_not_found");
    expectError(await answer(), "too_many_attempts");
  }
});

it("a malformed boarding pass is refused with the wrong position, without its text", async () => {
  const pass = demoPasses(date).lovelace;
  const answer = await scan(guest, `${pass.slice(0, 44)}XXX${pass.slice(47)}`);
  expectError(answer, "invalid_bcbp_format");
  expect(answer.body.message).toContain("position 45");
  expect(answer.body.errors).toEqual([expect.stringContaining("position 45")]);
  expect(answer.text).not.toMatch(/LOVELACE|ABC123/);
  expect(JSON.stringify(service.log)).not.toMatch(/LOVELACE|ABC123/);
});

/** Another passenger of Ada's booking and surname. */
async function addSister(id: string, givenName: string): Promise<void> {
  const { db, settings } = service;
  const [ada] = await db.select().from(journeys).where(eq(journeys.id, "demo-journey-1"));
  const legs = await db.select().from(flights).where(eq(flights.journeyId, "demo-journey-1"));
  if (ada === undefined) throw new Error("no Ada");
  const passenger = JSON.stringify({ givenName, surname: "LOVELACE" });
  const passengerSealed = await seal(settings.dataKey, { field: "passenger", id }, passenger);
  const surnameTokens = toBase64Url(await storedTokens(settings.pepperKey, "ABC123", "LOVELACE"));
  await db.insert(journeys).values({ ...ada, id, passengerSealed, surnameTokens });
  await db.insert(flights).values(legs.map((leg) => ({ ...leg, journeyId: id })));
}
