import { env } from "cloudflare:workers";
import { notLike } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { type Journey, JourneyListResponse, parseBody } from "../../core/api/index.ts";
import { auditLog, deviceTicketLocks, journeys, travelPlans } from "../../db/schema.ts";
import { bsmText } from "../test-support/baggage-message-text.ts";
import { boardingPassText } from "../test-support/boarding-pass-text.ts";
import { rowsIn } from "../test-support/database.ts";
import { dayAhead, TOMORROW } from "../test-support/days.ts";
import { startFeeding } from "../test-support/feeds.ts";
import { guestSession, staffOf, type TestSession } from "../test-support/logins.ts";
import { lastAudit } from "../test-support/rows.ts";
import { type Answer, expectError, type TestService } from "../test-support/service.ts";

let service: TestService;
let staff: TestSession;
const date = TOMORROW;

beforeEach(async () => {
  ({ service, staff } = await startFeeding());
});

const send = (body: unknown): Promise<Answer> => staff.call("journeysFromAirlinePayload", body);

const flight = (more = {}) => ({ carrier: "SK", number: "1460", date, from: "OSL", to: "CPH", ...more });
const EMMY = { surname: "NOETHER", givenName: "EMMY" };
const withBags = (baggage: unknown) => booking({ passengers: [{ ...EMMY, baggage }] });
const idsOf = ({ body }: Answer) =>
  body.journeys.map(({ journeyId }: { journeyId: string }) => journeyId).sort();
const journeyOf = ({ body }: Answer, givenName: string) =>
  body.journeys.find((one: Journey) => one.passenger.givenName === givenName);
const booking = (more = {}) => ({
  airline: "SK",
  recordLocator: "PAY001",
  flights: [
    flight({ scheduledDeparture: `${date}T08:00:00.000Z`, scheduledArrival: `${date}T09:10:00.000Z` }),
    flight({ number: "1720", from: "CPH", to: "HEL" }),
  ],
  passengers: [
    {
      ...EMMY,
      cabin: "PLUS",
      destinationCity: "HELSINKI",
      baggage: [{ licencePlate: "0117830001", readable: "SK830001", flags: 2 }],
    },
    { surname: "NOETHER", givenName: "FRITZ" },
  ],
  ...more,
});

describe("a booking from its airline", () => {
  it("may have been sold a year ahead, and have been begun a year ago", async () => {
    const flights = [-370, 1, 370].map((days) => flight({ date: dayAhead(days), number: `${1000 + days}` }));
    expect((await send(booking({ flights }))).status).toBe(200);
  });

  it("becomes the passengers' journeys", async () => {
    const answer = await send(booking());
    expect(answer.status).toBe(200);
    expect(parseBody(JourneyListResponse, answer.body)).toEqual({ ok: true, value: answer.body });
    expect(journeyOf(answer, "EMMY")).toEqual({
      journeyId: expect.any(String),
      recordLocator: "PAY001",
      passenger: EMMY,
      flights: booking().flights,
      baggage: [
        { baggageId: expect.any(Number), licencePlate: "0117830001", readable: "SK830001", flags: 2 },
      ],
      departureAirport: "OSL",
      destinationAirport: "HEL",
      destinationCity: "HELSINKI",
      cabin: "PLUS",
      version: 1,
    });
    expect(journeyOf(answer, "FRITZ").baggage).toEqual([]);
  });

  it("is found by its passengers with what they know and what they hold", async () => {
    await send(booking());
    const passenger = await guestSession(service);
    const name = { recordLocator: "PAY001", surname: "Noether" };
    const typed = await passenger.call("journeyFromRecordLocator", name);
    expect(typed.body.companions).toHaveLength(1);
    const leg = { recordLocator: "PAY001", flight: "SK1720", route: "CPH-HEL", date } as const;
    const scanned = await passenger.call("journeyFromBcbp", {
      scanData: boardingPassText("NOETHER/FRITZMR", [leg]),
    });
    expect(scanned.body.passenger.givenName).toBe("FRITZ");
  });

  it("is answered with a given name that was not stored, since the passenger has another", async () => {
    const named = (givenName: string) => booking({ passengers: [{ surname: "NOETHER", givenName }] });
    await send(named("EMMY"));
    const answer = await send(named("Emmy Amalie"));
    expect(answer.body).toMatchObject({
      journeys: [{ passenger: { givenName: "EMMY" } }],
      ignored: ["passengers.0.givenName"],
    });
    for (const name of ["Emmy", "EMMYMRS", ""])
      expect((await send(named(name))).body).not.toHaveProperty("ignored");
  });

  it("is answered with the names of unread members, and never with their values", async () => {
    const [emmy] = booking().passengers;
    const odd = { ...emmy, frequentFlyer: "SECRET", baggage: [{ licencePlate: "0117830001", weight: 20 }] };
    const flights = [flight({ constructor: { gate: "A1" } })];
    const answer = await send({ ...booking({ passengers: [odd], flights }), ticket: null, ssr: ["SECRET"] });
    expect(answer.body.ignored.toSorted()).toEqual([
      "flights.0.constructor",
      "passengers.0.baggage.0.weight",
      "passengers.0.frequentFlyer",
      "ssr",
    ]);
    expect(answer.text).not.toContain("SECRET");
    expect((await send(booking())).body).not.toHaveProperty("ignored");
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${"x".repeat(200)}${i}`, i]));
    const short = (await send({ ...booking(), ...many })).body.ignored;
    expect([short.length, short[0].length]).toEqual([20, 64]);
  });

  it("changes nothing at all when it comes again", async () => {
    await send(booking());
    const before = await rowsIn(env.DB);
    expect((await send(booking())).status).toBe(200);
    expect(await rowsIn(env.DB)).toEqual(before);
  });

  it("brings what is there up to date and leaves alone what it does not name", async () => {
    const first = await send(booking());
    const flights = [flight(), flight({ number: "1722", from: "CPH", to: "TMP" })];
    const later = await send({ ...withBags([{ licencePlate: "0117830002" }]), flights });
    expect(idsOf(later)).toEqual(idsOf(first));
    const emmy = journeyOf(later, "EMMY");
    expect(emmy).toMatchObject({ destinationAirport: "TMP", cabin: "PLUS", version: 2 });
    expect(emmy.baggage.map(({ licencePlate }: { licencePlate: string }) => licencePlate)).toEqual([
      "0117830001",
      "0117830002",
    ]);
    expect(journeyOf(later, "FRITZ")).toMatchObject({ destinationAirport: "HEL", version: 1 });
  });

  it("is the booking a baggage message speaks of", async () => {
    await send(booking());
    const message = bsmText({
      date,
      flights: ["SK1460/CPH", "SK1720/HEL"],
      plates: "0117830005001",
      name: "NOETHER/FRITZMR",
      locator: "PAY001",
    });
    const { body } = await staff.call("baggageSourceMessages", { message });
    expect(body.results[0].outcome).toBe("applied");
    expect(await service.db.select().from(journeys).where(notLike(journeys.id, "demo-%"))).toHaveLength(2);
    const again = await send(booking());
    expect(again.body.journeys.flatMap(({ baggage }: { baggage: unknown[] }) => baggage)).toHaveLength(2);
  });

  it("is another booking than one another airline has under the same locator on the same day", async () => {
    staff = await staffOf(service, "SK", "LH");
    await send(booking());
    const other = { airline: "LH", flights: [flight({ carrier: "LH", number: "870" })] };
    const passengers = [{ surname: "HILBERT", givenName: "DAVID" }];
    const answer = await send(booking({ ...other, passengers }));
    expect(answer.body.journeys).toMatchObject([{ passenger: { surname: "HILBERT" } }]);
    const message = { date, locator: "PAY001", flights: ["LH872/OSL"], plates: "0220830009001" };
    const text = bsmText({ ...message, station: "HAM", name: "HILBERT/DAVID" });
    await staff.call("baggageSourceMessages", { message: text });
    const hilbert = await guestSession(service);
    const name = { recordLocator: "PAY001", surname: "HILBERT" };
    const found = await hilbert.call("journeyFromRecordLocator", name);
    expect(found.body.baggage).toMatchObject([{ licencePlate: "0220830009" }]);
    expect(found.body).not.toHaveProperty("companions");
  });

  it("keeps names and locators sealed, and writes an audit row without them", async () => {
    await send(booking());
    const rows = JSON.stringify([
      await service.db.select().from(travelPlans),
      await service.db.select().from(journeys),
      await service.db.select().from(auditLog),
    ]);
    expect(rows).not.toMatch(/NOETHER|EMMY|PAY001/);
    const audited = { event: "booking_fed", airline: "SK", reason: "created" };
    expect(await lastAudit(service)).toMatchObject(audited);
  });
});

describe("a booking that is refused", () => {
  it("is another airline's", async () => {
    expectError(await send(booking({ airline: "LH" })), "insufficient_scope");
  });

  it("has a plate another booking has on that day, and leaves nothing behind", async () => {
    const before = await rowsIn(env.DB);
    const taken = (licencePlate: string) => withBags([{ licencePlate }]);
    const answer = await send(taken("0117765432"));
    expectError(answer, "baggage_not_found");
    expect(answer.body.errors).toEqual([
      "passengers.0.baggage.0.licencePlate is another passenger's about that day",
    ]);
    expectError(await send(taken("0220654321")), "baggage_not_found");
    expect(await rowsIn(env.DB)).toEqual(before);
  });

  it.each([
    [371, "at most 370 days ahead"],
    [-371, "at most 370 days ago"],
  ])("has a flight %i days from today", async (days, expected) => {
    const before = await rowsIn(env.DB);
    const [far, near] = [flight({ date: dayAhead(days) }), flight({ number: "1720" })];
    const flights = days < 0 ? [far, near] : [near, far];
    const answer = await send(booking({ flights }));
    expectError(answer, "invalid_request");
    expect(answer.body.errors).toEqual([`flights.${flights.indexOf(far)}.date must be ${expected}`]);
    expect(await rowsIn(env.DB)).toEqual(before);
  });

  it("would give a journey eleven bags", async () => {
    const plates = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({
        licencePlate: `011784${String(from + i).padStart(4, "0")}`,
      }));
    expectError(await send(withBags(plates(0, 11))), "invalid_request");
    expect((await send(withBags(plates(0, 10)))).status).toBe(200);
    expectError(await send(withBags(plates(10, 1))), "bag_limit");
  });

  it.each<[string, Record<string, unknown>]>([
    [
      "flights in the wrong order",
      { flights: [flight({ date: dayAhead(3) }), flight({ date: dayAhead(2) })] },
    ],
    [
      "an arrival before its departure",
      {
        flights: [
          flight({
            date: dayAhead(2),
            scheduledDeparture: `${dayAhead(2)}T08:00:00Z`,
            scheduledArrival: `${dayAhead(2)}T07:00:00Z`,
          }),
        ],
      },
    ],
    ["an arrival that never comes", { flights: [flight({ scheduledArrival: "9999-12-31T00:00:00Z" })] }],
    ["flights that are past", { flights: [flight({ date: "2020-05-03" })] }],
    ["a hundred passengers", { passengers: Array(100).fill(EMMY) }],
    ["a passenger without a name", { passengers: [{ surname: "--", givenName: "EMMY" }] }],
    ["one plate twice", withBags([{ licencePlate: "0117830001" }, { licencePlate: "0117830001" }])],
  ])("has %s", async (_, more) => {
    const before = await rowsIn(env.DB);
    const answer = await send(booking(more));
    expectError(answer, "invalid_request");
    expect(answer.body.errors).not.toEqual([]);
    expect(answer.text).not.toMatch(/NOETHER|EMMY|PAY/);
    expect(await rowsIn(env.DB)).toEqual(before);
  });
});

describe("a withdrawal", () => {
  const emmy = { surname: "Noether", givenName: "Emmy" };
  const withdraw = (which: string, passengers = [emmy]) => send(booking({ passengers, withdraw: which }));
  const people = ({ body }: Answer) =>
    body.journeys.map(({ passenger }: { passenger: { givenName: string } }) => passenger.givenName);

  it("takes a passenger and their bags, once, and frees the plates", async () => {
    await send(booking());
    const answer = await withdraw("passengers");
    expect([answer.status, people(answer)]).toEqual([200, ["FRITZ"]]);
    expect(await lastAudit(service)).toMatchObject({ event: "booking_fed", reason: "withdrawn" });
    const before = await rowsIn(env.DB);
    expect(people(await withdraw("passengers"))).toEqual(["FRITZ"]);
    expect(await rowsIn(env.DB)).toEqual(before);
    expect((await send(booking({ recordLocator: "PAY002" }))).status).toBe(200);
  });

  it("removes a whole booking, and no caller finds it any more", async () => {
    await send(booking());
    const passenger = await guestSession(service);
    const known = { recordLocator: "PAY001", surname: "Noether" };
    await passenger.call("journeyFromRecordLocator", known);
    expect((await withdraw("booking")).body).toEqual({ journeys: [] });
    expect((await passenger.call("journeys")).body.journeys).toEqual([]);
    await expectError(await passenger.call("journeyFromRecordLocator", known), "journey_not_found");
    expect(await service.db.select().from(travelPlans).where(notLike(travelPlans.id, "demo-%"))).toEqual([]);
    expect(people(await send(booking()))).toHaveLength(2);
  });

  it("is refused while tags are locked to its bags, and removes no passenger until then", async () => {
    const { baggage } = journeyOf(await send(booking()), "EMMY");
    const device = { uniqueID: "ebt-20-0007" };
    await staff.call("deviceAttachment", { device, baggageId: baggage[0].baggageId });
    const before = await rowsIn(env.DB);
    for (const which of ["passengers", "booking"]) await expectError(await withdraw(which), "device_locked");
    expect(people(await withdraw("passengers", [{ surname: "NOETHER", givenName: "FRITZ" }]))).toEqual([
      "EMMY",
    ]);
    expect(before).not.toEqual(await rowsIn(env.DB));
    await service.db.update(deviceTicketLocks).set({ endsAt: service.now() });
    expect((await withdraw("booking")).body).toEqual({ journeys: [] });
    await service.db.delete(deviceTicketLocks);
  });

  it("of an unknown booking, or of another airline's, removes nothing", async () => {
    expect((await withdraw("booking")).body).toEqual({ journeys: [] });
    expect((await send(booking({ withdraw: "all" }))).status).toBe(400);
    await expectError(await send(booking({ airline: "LH", withdraw: "booking" })), "insufficient_scope");
  });
});
