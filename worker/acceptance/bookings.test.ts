import { notLike } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { JourneysFromAirlinePayloadRequest } from "../../core/api/index.ts";
import {
  auditLog,
  type ClientFlags,
  clients,
  guessCounters,
  loadedPlans,
  travelPlans,
  usedOnce,
} from "../../db/schema.ts";
import { AirlineHosts, type Question, setHost, silent } from "../test-support/airline-host.ts";
import { TOMORROW } from "../test-support/days.ts";
import { guestSession, staffSession, type TestSession } from "../test-support/logins.ts";
import { expectError, startClean, startService, type TestService } from "../test-support/service.ts";

/** Bookings that no feed has brought, asked of their airlines. */

const GRACE = { recordLocator: "ASK001", surname: "hopper" };
const BOOKING: JourneysFromAirlinePayloadRequest = {
  ...{ airline: "SK", recordLocator: "ASK001" },
  flights: [{ carrier: "SK", number: "4711", date: TOMORROW, from: "OSL", to: "CPH" }],
  passengers: [
    { surname: "HOPPER", givenName: "GRACE" },
    { surname: "HAMILTON", givenName: "MARGARET" },
  ],
};
const found = (booking: object = BOOKING) => ({ result: "found", booking });

let hosts: AirlineHosts;
let service: TestService;
let guest: TestSession;
let waits: number[];
beforeEach(async () => {
  hosts = new AirlineHosts();
  waits = [];
  const wait = async (milliseconds: number) => {
    waits.push(milliseconds);
  };
  service = await startClean({ ACCEPTANCE_TIMEOUT_MILLISECONDS: "50" }, hosts.fetcher, { wait });
  await flag({ askAirlines: true });
  await setHost(service);
  hosts.answer = () => found();
  guest = await guestSession(service);
});

const flag = (flags: ClientFlags) => service.db.update(clients).set({ flags });
const load = (body: object = GRACE, session = guest) => session.call("journeyFromRecordLocator", body);
const counters = async () =>
  (await service.db.select().from(guessCounters)).map(({ key, count }) => [
    key.replace(/:[^:]*$/, ""),
    count,
  ]);
const plans = async () =>
  (await service.db.select().from(travelPlans)).filter(({ id }) => !id.startsWith("demo-plan-"));

describe("a booking that is asked for", () => {
  it("is loaded with its companions, is the caller's, and costs no guess", async () => {
    const answer = await load();
    expect(answer.body).toMatchObject({
      ...{ recordLocator: "ASK001", passenger: { surname: "HOPPER" }, departureAirport: "OSL" },
      companions: [{ passenger: { surname: "HAMILTON" } }],
    });
    expect(hosts.asked.map(({ url, message }) => [url, message.type, message.data])).toEqual([
      ["https://sk.example.com/bags", "booking.request", { airline: "SK", ...GRACE }],
    ]);
    expect(await counters()).toEqual([["locator:unvouched", 0]]);
    expect((await guest.call("journeys", {})).body.journeys).toHaveLength(2);
    // It is here now: no host is asked again.
    expect((await load()).status).toBe(200);
    expect(hosts.asked).toHaveLength(1);
  });

  it("is found by a boarding pass, under the locator of the carrier's own leg", async () => {
    const day =
      Math.floor((Date.parse(TOMORROW) - Date.UTC(Number(TOMORROW.slice(0, 4)), 0, 1)) / 86_400_000) + 1;
    const julian = String(day).padStart(3, "0");
    const pass = (name: string, flight: string) =>
      `M1${name.padEnd(20)}EASK001 OSLCPHSK ${flight} ${julian}Y008A0034 100`;
    const answer = await guest.call("journeyFromBcbp", { scanData: pass("HOPPER/GRACE", "4711") });
    expect(answer.body).toMatchObject({ passenger: { givenName: "GRACE" }, flights: [{ number: "4711" }] });
    expect(hosts.data()).toEqual([{ airline: "SK", recordLocator: "ASK001", surname: "HOPPER" }]);
    await service.db.delete(travelPlans).where(notLike(travelPlans.id, "demo-plan-%"));
    // Locator and name are right, the flight is another: the pass opens nothing.
    expectError(
      await guest.call("journeyFromBcbp", { scanData: pass("HOPPER/GRACE", "4712") }),
      "journey_not_found",
    );
  });

  it("keeps to the rules of feeds: what these refuse is not found", async () => {
    hosts.answer = () => found({ ...BOOKING, flights: [{ ...BOOKING.flights[0], date: "2020-01-01" }] });
    expectError(await load(), "journey_not_found");
    expect(service.log.at(-1)).toMatchObject({ unread: ["booking.request: invalid_request"] });
  });

  it("is no withdrawal", async () => {
    await load();
    await service.db.delete(loadedPlans);
    hosts.answer = () => found({ ...BOOKING, withdraw: "booking" });
    expectError(await load({ ...GRACE, surname: "BYRON" }), "journey_not_found");
    hosts.answer = () =>
      found({ ...BOOKING, passengers: [{ surname: "BYRON", givenName: "A" }], withdraw: "booking" });
    expect((await load({ ...GRACE, surname: "BYRON" })).status).toBe(200);
    expect(await plans()).toHaveLength(1);
  });
});

/** What a host may answer besides the booking. */
const MISSES: readonly (readonly [string, (question: Question) => object | Promise<object>])[] = [
  ["does not know it", () => ({ result: "not_found" })],
  ["finds nothing, and says what", () => ({ result: "found" })],
  ["answers another's: the locator", () => found({ ...BOOKING, recordLocator: "ASK002" })],
  [
    "answers another's: the name",
    () => found({ ...BOOKING, passengers: [{ surname: "BYRON", givenName: "A" }] }),
  ],
  ["answers another airline's", () => found({ ...BOOKING, airline: "LH" })],
  [
    "answers another airline's flights",
    () => found({ ...BOOKING, flights: [{ ...BOOKING.flights[0], carrier: "LH" }] }),
  ],
  ["is silent", silent],
];

it.each(MISSES)(
  "a host that %s: one answer, after the same time, and nothing is stored",
  async (_, answer) => {
    hosts.answer = answer;
    const missed = await load();
    expectError(missed, "journey_not_found");
    expect(missed.body).toEqual((await load({ recordLocator: "NONE00", surname: "x" })).body);
    expect(waits).toEqual([300, 300]);
    expect(hosts.asked).toHaveLength(2);
    expect(await plans()).toEqual([]);
    expect(await service.db.select().from(loadedPlans)).toEqual([]);
  },
);

it("a miss is answered when the time is over, and not before", async () => {
  let end = () => {};
  const wait = () =>
    new Promise<void>((resolve) => {
      end = resolve;
    });
  const slow = await startService({}, hosts.fetcher, { wait });
  await flag({ askAirlines: true });
  hosts.answer = () => ({ result: "not_found" });
  const session = await guestSession(slow);
  let isAnswered = false;
  const answering = session.call("journeyFromRecordLocator", GRACE).finally(() => {
    isAnswered = true;
  });
  // Long after the host has answered: as many turns as another whole request takes.
  while (hosts.asked.length === 0) await session.call("journeys", {});
  for (let i = 0; i < 3; i++) await session.call("journeys", {});
  expect(isAnswered).toBe(false);
  end();
  expectError(await answering, "journey_not_found");
});

describe("the guess budget", () => {
  it("is counted before a host is asked, and over it none is", async () => {
    const seen: unknown[] = [];
    hosts.answer = async () => {
      seen.push(await counters());
      return { result: "not_found" };
    };
    for (let i = 0; i < 10; i++) expectError(await load(), "journey_not_found");
    expect(seen[0]).toEqual([["locator:unvouched", 1]]);
    expect(seen[9]).toEqual([["locator:unvouched", 10]]);
    hosts.answer = () => found();
    expectError(await load(), "too_many_attempts");
    expect(hosts.asked).toHaveLength(10);
    expect(waits).toHaveLength(10);
  });

  it("is counted under a locator whose booking the caller has loaded, too", async () => {
    await load({ recordLocator: "ABC123", surname: "LOVELACE" });
    hosts.answer = () => ({ result: "not_found" });
    const guess = { recordLocator: "ABC123", surname: "HOPPER", airline: "SK" };
    for (let i = 0; i < 10; i++) expectError(await load(guess), "journey_not_found");
    expectError(await load(guess), "too_many_attempts");
    expect(hosts.asked).toHaveLength(10);
    expect((await load({ recordLocator: "ABC123", surname: "LOVELACE" })).status).toBe(200);
  });

  it("counts a locator that is none, about which no host is asked", async () => {
    expectError(await load({ recordLocator: "no locator", surname: "HOPPER" }), "journey_not_found");
    expect([await counters(), hosts.asked, waits]).toEqual([[["locator:unvouched", 1]], [], [300]]);
  });

  it("lets the last guess be right", async () => {
    hosts.answer = () => ({ result: "not_found" });
    for (let i = 0; i < 9; i++) await load();
    hosts.answer = () => found();
    expect((await load()).status).toBe(200);
    expect(await counters()).toEqual([["locator:unvouched", 9]]);
  });

  it("is spent alike, whether the last guess is right or wrong", async () => {
    const bound = await guestSession(service, { dpop: true });
    const ofAda = (surname: string) => load({ recordLocator: "ABC123", surname }, bound);
    hosts.answer = () => ({ result: "not_found" });
    for (let i = 0; i < 10; i++) expectError(await ofAda("MARPLE"), "journey_not_found");
    const costs = [];
    for (const surname of ["MARPLE", "LOVELACE"]) {
      expectError(await ofAda(surname), "too_many_attempts");
      const { calls, statements, rowsWritten } = service.log.at(-1) as Record<string, unknown>;
      costs.push({ calls, statements, rowsWritten });
    }
    expect(costs[1]).toEqual(costs[0]);
    expect(await service.db.select().from(usedOnce)).toHaveLength(10);
  });

  it("refuses more at once than it allows", async () => {
    hosts.answer = () => ({ result: "not_found" });
    const answers = await Promise.all(Array.from({ length: 15 }, () => load()));
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(10);
    expect(hosts.asked).toHaveLength(10);
  });

  it("counts a proof of possession once, over both batches", async () => {
    const bound = await guestSession(service, { dpop: true });
    expect((await load(GRACE, bound)).status).toBe(200);
    hosts.answer = () => ({ result: "not_found" });
    expectError(await load({ ...GRACE, recordLocator: "ASK009" }, bound), "journey_not_found");
  });
});

describe("which hosts are asked", () => {
  const asked = () => hosts.data().map(({ airline }) => airline);
  beforeEach(() => {
    hosts.answer = () => ({ result: "not_found" });
  });

  it("is none for a client that does not ask, which costs what it did", async () => {
    await flag({});
    expectError(await load(), "journey_not_found");
    const { calls, statements } = service.log.at(-1) as Record<string, unknown>;
    expect({ calls, statements }).toEqual({ calls: 2, statements: 6 });
    expect([asked(), waits]).toEqual([[], []]);
  });

  it("are those of the client's airlines, the first three by code, or the one that is named", async () => {
    const all = ["AY", "BA", "DY", "LH", "SK"];
    await service.db.update(clients).set({ airlines: ["SK", "AY", "LH", "BA"] });
    for (const airline of all) await setHost(service, airline);
    await load();
    expect(asked().toSorted()).toEqual(["AY", "BA", "LH"]);
    hosts.asked = [];
    await load({ ...GRACE, airline: "ba" });
    await load({ ...GRACE, airline: "DY" });
    expect(asked()).toEqual(["BA"]);
  });

  it("are staff's own airlines'", async () => {
    await service.db.update(clients).set({ airlines: ["SK", "LH"] });
    await setHost(service, "LH");
    await load(GRACE, await staffSession(service));
    expect(asked()).toEqual(["SK"]);
  });

  it("is none where the booking is here, or the pass is another carrier's", async () => {
    expect((await load({ recordLocator: "ABC123", surname: "LOVELACE" })).status).toBe(200);
    const scanData = "M1HOPPER/GRACE        EASK001 JFKFRALH 0401 123Y008A0034 100";
    expectError(await guest.call("journeyFromBcbp", { scanData }), "journey_not_found");
    expect(asked()).toEqual([]);
  });

  it("two that both have it: the caller names one, and none is opened", async () => {
    await service.db.update(clients).set({ airlines: ["SK", "LH"] });
    await setHost(service, "LH");
    hosts.answer = ({ message: { data } }) => {
      const flights = BOOKING.flights.map((flight) => ({ ...flight, carrier: data.airline }));
      return found({ ...BOOKING, airline: data.airline, flights });
    };
    const several = await load();
    expectError(several, "airline_required");
    expect(several.body.errors).toEqual(["LH", "SK"]);
    expect((await load({ ...GRACE, airline: "LH" })).body.flights[0].carrier).toBe("LH");
  });
});

it("the log has who asked, without names and locators", async () => {
  await load();
  const rows = await service.db.select().from(auditLog);
  expect(rows.findLast(({ event }) => event === "booking_fed")).toMatchObject({
    ...{ airline: "SK", clientId: "client-passenger", reason: "created" },
  });
  expect(JSON.stringify(rows)).not.toMatch(/hopper|ASK001/i);
});
