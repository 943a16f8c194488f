import { env } from "cloudflare:workers";
import { gt, like, notLike } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { bags, journeys, travelPlans } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { bsmDay, bsmText, type PrintedMessage } from "../test-support/baggage-message-text.ts";
import { rowsIn } from "../test-support/database.ts";
import { dayAhead, TOMORROW } from "../test-support/days.ts";
import { startFeeding } from "../test-support/feeds.ts";
import { guestSession, type TestSession } from "../test-support/logins.ts";
import { lastAudit } from "../test-support/rows.ts";
import { type Answer, expectError, type TestService } from "../test-support/service.ts";
import { feedReads } from "./reads.ts";

let service: TestService;
let staff: TestSession;
const date = TOMORROW;

beforeEach(async () => {
  ({ service, staff } = await startFeeding());
});

const take = (...messages: readonly string[]): Promise<Answer> =>
  staff.call("baggageSourceMessages", { message: messages.join("") });
const bsm = (message: Partial<PrintedMessage> = {}) => bsmText({ date, ...message });
const resultsOf = ({ body }: Answer) => body.results;
const outcomes = (answer: Answer) => resultsOf(answer).map(({ outcome }: { outcome: string }) => outcome);

async function load(recordLocator: string, surname: string): Promise<Answer> {
  const passenger = await guestSession(service);
  return passenger.call("journeyFromRecordLocator", { recordLocator, surname });
}

describe("a message that adds a bag", () => {
  it("makes booking, journey and bag, which the passenger then finds", async () => {
    const answer = await take(bsm({ flights: ["SK1234/ARN", "SK0999/HEL"], plates: "0117800001002" }));
    expect(answer.status).toBe(200);
    expect(resultsOf(answer)).toEqual([
      {
        line: 1,
        action: "ADD",
        outcome: "applied",
        journeyId: expect.any(String),
        licencePlates: ["0117800001", "0117800002"],
      },
    ]);
    expect(await lastAudit(service)).toMatchObject({
      ...{ event: "baggage_messages_taken", airline: "SK", reason: "1 of 1 applied" },
      clientId: "client-kiosk",
    });
    const { body } = await load("BSM001", "Hopper");
    expect(body).toMatchObject({
      journeyId: resultsOf(answer)[0].journeyId,
      recordLocator: "BSM001",
      passenger: { surname: "HOPPER", givenName: "GRACE" },
      flights: [
        { carrier: "SK", number: "1234", date, from: "OSL", to: "ARN" },
        { carrier: "SK", number: "0999", date, from: "ARN", to: "HEL" },
      ],
      baggage: [{ licencePlate: "0117800001" }, { licencePlate: "0117800002" }],
      departureAirport: "OSL",
      destinationAirport: "HEL",
      cabin: "Y",
    });
  });

  it("adds the bag to the booking that is there, by flight and name, and changes nothing else", async () => {
    const message = bsm({ locator: "ABC123", name: "LOVELACE/ADAMRS", plates: "0117800009001" });
    expect(resultsOf(await take(message))[0]).toMatchObject({
      outcome: "applied",
      journeyId: "demo-journey-1",
    });
    const { body } = await load("ABC123", "LOVELACE");
    expect(body.baggage).toHaveLength(3);
    expect(body.flights).toHaveLength(2);
    expect(body.flights[0].scheduledDeparture).toBeDefined();
    expect(body.version).toBe(2);
    expect(body).not.toHaveProperty("companions");
  });

  it("marks a bag of priority", async () => {
    await take(bsm({ more: [".E/PRIO"] }));
    expect((await load("BSM001", "HOPPER")).body.baggage[0].flags).toBe(2);
  });

  it("takes a transfer bag's first flight from .I", async () => {
    const inbound = `.I/LH0860/${bsmDay(date)}/FRA/Y`;
    await take(bsm({ more: [inbound], flights: ["SK1234/ARN"] }));
    const { body } = await load("BSM001", "HOPPER");
    expect(body.flights.map(({ from, to }: { from: string; to: string }) => `${from}-${to}`)).toEqual([
      "FRA-OSL",
      "OSL-ARN",
    ]);
  });
});

describe("the same message again", () => {
  it("changes nothing at all", async () => {
    const text = [
      bsm({ plates: "0117800001003" }),
      bsm({ locator: "ABC123", name: "LOVELACE/ADA", plates: "0117800009001" }),
    ];
    await take(...text);
    const before = await rowsIn(env.DB);
    expect(outcomes(await take(...text))).toEqual(["unchanged", "unchanged"]);
    expect(await rowsIn(env.DB)).toEqual(before);
  });

  it("makes one thing when sent ten times at once", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => take(bsm())));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await service.db.select().from(bags).where(gt(bags.id, 4))).toHaveLength(1);
    expect(new Set(answers.map((answer) => resultsOf(answer)[0].journeyId)).size).toBe(1);
    expect(await service.db.select().from(journeys).where(notLike(journeys.id, "demo-%"))).toHaveLength(1);
  });
});

describe("a message that changes a bag", () => {
  it("takes the new flights from its station on, and keeps what it does not speak of", async () => {
    await take(bsm({ plates: "0117800001001" }));
    const answer = await take(
      bsm({ action: "CHG", flights: ["SK1460/CPH", "SK1720/HEL"], more: [".E/PRIO"] }),
    );
    expect(outcomes(answer)).toEqual(["applied"]);
    const { body } = await load("BSM001", "HOPPER");
    expect(body.flights.map(({ number }: { number: string }) => number)).toEqual(["1460", "1720"]);
    expect(body).toMatchObject({ destinationAirport: "HEL", version: 2, baggage: [{ flags: 2 }] });
    const again = await take(
      bsm({ action: "CHG", flights: ["SK1460/CPH", "SK1720/HEL"], more: [".E/PRIO"] }),
    );
    expect(outcomes(again)).toEqual(["unchanged"]);
  });

  it("keeps the flights before its station and the times of those that stay", async () => {
    await take(
      bsm({
        action: "CHG",
        station: "ARN",
        flights: ["SK1708/HEL"],
        plates: "0117123456001",
        locator: "ABC123",
        name: "",
      }),
    );
    const { body } = await load("ABC123", "LOVELACE");
    expect(body.flights).toMatchObject([
      { number: "1234", from: "OSL", to: "ARN", scheduledArrival: expect.any(String) },
      { number: "1708", from: "ARN", to: "HEL" },
    ]);
    expect(body.flights[1]).not.toHaveProperty("scheduledArrival");
  });

  it("drops what comes before its station's flights, and keeps the order of those that stay", async () => {
    const direct = { action: "CHG", plates: "0117123456001", locator: "ABC123", name: "" } as const;
    await take(bsm({ ...direct, station: "OSL", flights: ["SK4167/TRD", "SK1234/ARN"] }));
    await take(bsm({ ...direct, station: "CPH", flights: ["SK0999/HEL"] }));
    const { body } = await load("ABC123", "LOVELACE");
    expect(body.flights).toMatchObject([{ number: "0999", from: "CPH", to: "HEL" }]);
    expect(body).toMatchObject({ departureAirport: "CPH", version: 3 });
  });

  it("is refused for an unknown bag, and for one of another booking", async () => {
    const answer = await take(
      bsm({ action: "CHG", plates: "0117899999001" }),
      bsm({ action: "CHG", plates: "0117123456001", locator: "OB1NKE" }),
    );
    expect(resultsOf(answer)).toMatchObject([
      { outcome: "refused", errorCode: "baggage_not_found" },
      { outcome: "refused", errorCode: "baggage_not_found" },
    ]);
  });
});

describe("a message that deletes a bag", () => {
  it("takes it away, once", async () => {
    await take(bsm({ plates: "0117800001002" }));
    const remove = bsm({ action: "DEL", plates: "0117800001002" });
    expect(outcomes(await take(remove))).toEqual(["applied"]);
    expect((await load("BSM001", "HOPPER")).body.baggage).toEqual([]);
    expect(outcomes(await take(remove))).toEqual(["unchanged"]);
  });

  it("leaves a bag of another booking", async () => {
    const answer = await take(bsm({ action: "DEL", plates: "0117123456001", locator: "OB1NKE" }));
    expect(resultsOf(answer)).toMatchObject([{ outcome: "refused", errorCode: "baggage_not_found" }]);
  });

  it("undoes what another message of the request did, in their order", async () => {
    expect(outcomes(await take(bsm(), bsm({ action: "DEL" }), bsm()))).toEqual([
      "applied",
      "applied",
      "applied",
    ]);
    expect(await service.db.select().from(bags).where(gt(bags.id, 4))).toHaveLength(1);
    expect(outcomes(await take(bsm({ action: "DEL" }), bsm()))).toEqual(["applied", "applied"]);
    expect(await service.db.select().from(bags).where(gt(bags.id, 4))).toHaveLength(1);
  });

  it("leaves a bag on a locked tag, until the tag is unlocked", async () => {
    const passenger = await guestSession(service);
    await passenger.call("journeyFromRecordLocator", { recordLocator: "ABC123", surname: "LOVELACE" });
    const device = { uniqueID: "ebt-20-0006" };
    await passenger.call("deviceAttachment", { device, baggageId: 2 });
    const remove = bsm({ action: "DEL", plates: "0117123456002", locator: "ABC123", name: "LOVELACE/ADA" });
    const before = await service.db.select().from(bags);
    expect(resultsOf(await take(remove))[0]).toMatchObject({
      outcome: "refused",
      errorCode: "device_locked",
    });
    expect(await service.db.select().from(bags)).toEqual(before);
    await passenger.call("ebtUnlock", { uniqueDeviceId: "ebt-20-0006" });
    expect(outcomes(await take(remove))).toEqual(["applied"]);
  });
});

describe("what a message may not do", () => {
  it("is speak of another airline's flight", async () => {
    const answer = await take(bsm({ flights: ["LH0401/FRA"] }), bsm());
    expect(resultsOf(answer)).toMatchObject([
      { outcome: "refused", errorCode: "insufficient_scope" },
      { outcome: "applied" },
    ]);
  });

  it("is touch another airline's bags", async () => {
    const before = await service.db.select().from(bags);
    const answer = await take(
      bsm({ plates: "0220654321001", locator: "K7Q2ZD", name: "MULLER/JURGEN" }),
      bsm({ action: "CHG", plates: "0220654321001" }),
      bsm({ action: "DEL", plates: "0220654321001" }),
    );
    expect(resultsOf(answer)).toMatchObject([
      { outcome: "refused", errorCode: "baggage_not_found" },
      { outcome: "refused", errorCode: "baggage_not_found" },
      { outcome: "unchanged" },
    ]);
    expect(await service.db.select().from(bags)).toEqual(before);
  });

  it("is to take a plate that another booking has on that day, or to add an eleventh bag", async () => {
    const answer = await take(
      bsm({ plates: "0117765432001" }),
      bsm({ plates: "0117810000011" }),
      bsm({ plates: "0117810000010" }),
      bsm({ plates: "0117820000001" }),
    );
    expect(resultsOf(answer)).toMatchObject([
      { outcome: "refused", errorCode: "baggage_not_found" },
      { outcome: "refused", errorCode: "bag_limit" },
      { outcome: "applied" },
      { outcome: "refused", errorCode: "bag_limit" },
    ]);
    expect(await service.db.select().from(travelPlans).where(notLike(travelPlans.id, "demo-%"))).toHaveLength(
      1,
    );
  });

  it("is make a booking without a name, without a locator, or in the past", async () => {
    const past = new Date(service.now() - 10 * 86_400_000).toISOString().slice(0, 10);
    const answer = await take(bsm({ name: "" }), bsm({ locator: "" }), bsm({ date: past }));
    expect(resultsOf(answer)).toMatchObject(
      Array.from({ length: 3 }, () => ({ outcome: "refused", errorCode: "journey_not_found" })),
    );
    expect(await service.db.select().from(bags).where(gt(bags.id, 4))).toEqual([]);
  });
});

describe("a malformed message", () => {
  it("may be one of a flight farther off than the operator allows", async () => {
    ({ staff } = await startFeeding({ FLIGHT_AHEAD_DAYS: "30", FLIGHT_BEHIND_DAYS: "20" }));
    const of = (days: number, n: number) =>
      bsm({ date: dayAhead(days), locator: `BSM00${n}`, plates: `011780000${n}001` });
    const answer = await take(of(30, 1), of(31, 2), of(1, 3), of(-21, 4));
    expect(outcomes(answer)).toEqual(["applied", "refused", "applied", "refused"]);
    expect([resultsOf(answer)[1].errors, resultsOf(answer)[3].errors]).toEqual([
      ["line 10: a day at most 30 days ahead expected"],
      ["line 24: a day at most 20 days ago expected"],
    ]);
  });

  it("is refused by its line, and takes no other with it", async () => {
    const broken = bsm({ locator: "BSM002" }).replace(".F/", ".F");
    const answer = await take(bsm(), broken, bsm({ locator: "BSM003", plates: "0117800003001" }));
    expect(outcomes(answer)).toEqual(["applied", "refused", "applied"]);
    expect(resultsOf(answer)[1]).toEqual({
      line: 8,
      outcome: "refused",
      errorCode: "invalid_bsm_format",
      errors: [expect.stringContaining("line 10")],
    });
    expect(answer.text).not.toContain("BSM002");
  });

  it("alone is 400 with the line, and nothing of the text", async () => {
    const answer = await take(bsm().replace("ENDBSM\n", ""));
    expectError(answer, "invalid_bsm_format");
    expect(answer.body.message).toContain("line 7");
    expect(answer.text).not.toMatch(/HOPPER|BSM001/);
    expectError(await take("QU OSLXH7X\n"), "invalid_bsm_format");
  });
});

it("looks for what messages name and never through an airline's other bookings", async () => {
  const context = {
    ...service,
    now: service.now(),
    principal: { airlines: ["SK"] },
  } as unknown as BearerContext;
  const reads = feedReads(context, { locatorHashes: ["a"], plates: ["0117123456"] });
  const plans = Object.values(reads).map(async (statement) => {
    const { sql, params } = statement.toSQL();
    const explain = env.DB.prepare(`explain query plan ${sql}`).bind(...params);
    return (await explain.all<{ detail: string }>()).results.map(({ detail }) => detail);
  });
  const steps = (await Promise.all(plans)).flat();
  // Of ranges there is one for each airline.
  expect(steps.filter((step) => /airline=|SCAN (?!json_each|plate_ranges)/.test(step))).toEqual([]);
  expect(steps.join("\n")).toMatch(/bags_plate \(licence_plate=\?\)/);
});

it("a thousand messages are two D1 calls beside the authentication", async () => {
  const names = Array.from({ length: 1_000 }, (_, i) => {
    const word = String.fromCharCode(65 + (i % 26), 65 + (Math.floor(i / 26) % 26), 65 + Math.floor(i / 676));
    return bsm({
      locator: `M${String(i).padStart(5, "0")}`,
      name: `CROWD${word}/X`,
      plates: `0117${810_000 + i}001`,
    });
  });
  const answer = await take(...names);
  expect(new Set(outcomes(answer))).toEqual(new Set(["applied"]));
  expect(service.log.at(-1)).toMatchObject({ route: "/v2/baggage-source-messages", calls: 3 });
  const rows = await service.db.select().from(bags).where(like(bags.licencePlate, "011781%"));
  expect(rows).toHaveLength(1_000);
});
