import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { JourneyWithCompanions, parseBody } from "../../core/api/index.ts";
import { storedTokens } from "../../core/bag/surname.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { flights, journeys, loadedPlans, travelPlans } from "../../db/schema.ts";
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
