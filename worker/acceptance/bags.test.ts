import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { BAG_REFUSALS, type BagAcceptance, type BagAcceptanceAnswer, HEADER } from "../../core/api/index.ts";
import { ERROR_EXAMPLES } from "../../core/api/openapi/examples.ts";
import { bags, journeys, loadedPlans, plateRanges, travelPlans } from "../../db/schema.ts";
import { AirlineHosts, setHost, silent } from "../test-support/airline-host.ts";
import { guestSession, staffSession, type TestSession } from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import {
  type Answer,
  expectError,
  startClean,
  startService,
  type TestService,
} from "../test-support/service.ts";
import { decideBag } from "./bag.ts";

/** The airline is asked before a bag gets its plate; the host is in this file, database and service are whole. */

const PLATE = "0117300000";
const VARS = { ACCEPTANCE_TIMEOUT_MILLISECONDS: "50" };

let hosts: AirlineHosts;
let service: TestService;
let ada: TestSession;
beforeEach(async () => {
  hosts = new AirlineHosts();
  service = await startClean(VARS, hosts.fetcher);
  ada = await guestSession(service);
  await ada.call("journeyFromRecordLocator", { recordLocator: "ABC123", surname: "LOVELACE" });
});

function add(session = ada, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
  return session.call("baggageTag", body, headers, "/v2/journeys/demo-journey-1/baggage-tags");
}
const platesIn = ({ body }: Answer) =>
  body.baggage.map(({ licencePlate }: { licencePlate: string }) => licencePlate);
const platesNow = async () =>
  (await service.db.select().from(bags).where(eq(bags.journeyId, "demo-journey-1"))).map(
    ({ licencePlate }) => licencePlate,
  );
const FIRST = ["0117123456", "0117123457"];

describe("an airline without a host", () => {
  it("costs what it did before there were hosts, and none is asked", async () => {
    await add();
    const { calls, statements } = service.log.at(-1) as Record<string, unknown>;
    expect({ calls, statements }).toEqual({ calls: 2, statements: 8 });
    expect(hosts.asked).toEqual([]);
  });

  it("is the one whose booking it is, not the one whose flight", async () => {
    await setHost(service, "LH");
    expect((await add()).status).toBe(200);
    expect(hosts.asked).toEqual([]);
  });
});

describe("a host", () => {
  beforeEach(() => setHost(service));

  it("is asked with booking, passenger, route and bag, signed, at its address", async () => {
    hosts.answer = () => ({ result: "accepted", allowed: { kilograms: 23, pieces: 3 } });
    const answer = await add(ada, {}, { "Accept-Language": `nb,${"x".repeat(200)}` });
    expect(platesIn(answer)).toEqual([...FIRST, "0117200000"]);
    expect(answer.body.allowed).toEqual({ kilograms: 23, pieces: 3 });
    const [asked] = hosts.asked;
    expect(asked?.url).toBe("https://sk.example.com/bags");
    expect(asked?.headers.get("Accept-Language")).toHaveLength(100);
    expect(asked?.message).toMatchObject({
      type: "bag.acceptance",
      timestamp: new Date(service.now()).toISOString(),
      data: {
        ...{ airline: "SK", recordLocator: "ABC123", bag: { number: 3 }, licencePlates: FIRST },
        ...{ journeyId: "demo-journey-1", passenger: { surname: "LOVELACE", givenName: "ADA" } },
        flights: [{ carrier: "SK", from: "OSL", to: "ARN" }, { to: "HEL" }],
      },
    });
    expect(hosts.asked).toHaveLength(1);
  });

  it("gives the plate, and the range stays where it was", async () => {
    hosts.answer = () => ({ result: "accepted", licencePlate: PLATE, readable: "SK300000" });
    const answer = await add();
    expect(answer.body.baggage[2]).toMatchObject({ licencePlate: PLATE, readable: "SK300000" });
    expect(answer.body).not.toHaveProperty("allowed");
    const [range] = await service.db.select().from(plateRanges).where(eq(plateRanges.airline, "SK"));
    expect(range?.nextSerial).toBe(200_000);
  });

  it("refuses with its reason and its sentence, and nothing is added or recorded", async () => {
    const [reason, sentence] = ERROR_EXAMPLES.bag_refused.errors;
    hosts.answer = () => ({ result: "refused", reason, sentence });
    const key = { [HEADER.idempotencyKey]: "k" };
    const answer = await add(ada, {}, key);
    expectError(answer, "bag_refused");
    expect(answer.body).toEqual(ERROR_EXAMPLES.bag_refused);
    expect(await platesNow()).toEqual(FIRST);
    // The passenger has checked in since.
    hosts.answer = () => ({ result: "accepted" });
    expect((await add(ada, {}, key)).status).toBe(200);
  });

  it("is asked once for a request that is sent again under its key", async () => {
    hosts.answer = () => ({ result: "accepted", allowed: { kilograms: 8 } });
    const key = { [HEADER.idempotencyKey]: "k" };
    const first = await add(ada, {}, key);
    const second = await add(ada, {}, key);
    expect(second.text).toBe(first.text);
    expect(second.headers.get("Idempotent-Replayed")).toBe("true");
    expect(hosts.asked).toHaveLength(1);
  });

  it.each([
    ["is down", () => new Response("busy", { status: 503 }), "status 503"],
    ["answers in HTML", () => new Response("<p>hello"), "not JSON"],
    ["answers something else", () => ({ result: "maybe" }), "not an answer"],
    ["answers without end", () => new Response("x".repeat(70_000)), "too large"],
    ["is silent", silent, "timeout"],
    ["cannot be reached", () => Promise.reject(new TypeError("no such host")), "no connection"],
  ] as const)("that %s is asked once more; then its airline's choice holds", async (_, answer, fault) => {
    hosts.answer = answer;
    const refused = await add();
    expectError(refused, "service_unavailable");
    expect(service.log.at(-1)).toMatchObject({ reason: `bag.acceptance: ${fault}` });
    expect(hosts.asked.map(({ headers }) => headers.get("webhook-id"))).toEqual(
      Array(2).fill(hosts.asked[0]?.headers.get("webhook-id")),
    );
    await setHost(service, "SK", { fallback: "draw" });
    expect(platesIn(await add())).toEqual([...FIRST, "0117200000"]);
    expect(service.log.at(-1)).toMatchObject({ unread: [`bag.acceptance: ${fault}`] });
  });

  it("that answers at the second try has answered", async () => {
    hosts.answer = () =>
      hosts.asked.length === 1
        ? new Response(null, { status: 502 })
        : { result: "accepted", licencePlate: PLATE };
    expect(platesIn(await add())).toEqual([...FIRST, PLATE]);
  });

  it("at an address that is none is asked nothing, although the database has it", async () => {
    const url = "https://10.0.0.1/";
    await setHost(service, "SK", { url });
    const production = await startService({ ...VARS, ENVIRONMENT: "production" }, hosts.fetcher);
    const guest = await guestSession(production);
    await guest.call("journeyFromRecordLocator", { recordLocator: "ABC123", surname: "LOVELACE" });
    await setHost(service, "SK", { url });
    expectError(await add(guest), "service_unavailable");
    expect(hosts.asked).toEqual([]);
  });
});

describe("a plate of the host", () => {
  beforeEach(() => setHost(service));
  const answerWith = (licencePlate: string, more = {}) => {
    hosts.answer = () => ({ result: "accepted", licencePlate, ...more });
  };
  const dayOf = async (id: string) =>
    (await service.db.select().from(travelPlans).where(eq(travelPlans.id, id)))[0]?.firstFlightDate ?? "";

  it.each([
    ["another booking's", "0117765432"],
    ["this journey's own", "0117123456"],
    ["another airline's", "0220200001"],
  ])("that is %s is not taken", async (_, plate) => {
    answerWith(plate);
    expectError(await add(), "service_unavailable");
    expect(await platesNow()).toEqual(FIRST);
    await setHost(service, "SK", { fallback: "draw" });
    expect(platesIn(await add())).toEqual([...FIRST, "0117200000"]);
    expect(service.log.at(-1)).toMatchObject({ unread: ["bag.acceptance: plate in use"] });
  });

  it("rests for ten days, as those of the range do", async () => {
    const day = new Date(Date.parse(await dayOf("demo-plan-1")) + 10 * 86_400_000).toISOString().slice(0, 10);
    const row = { journeyId: "demo-journey-3", licencePlate: PLATE, flightDate: day };
    await service.db.insert(bags).values({ ...row, id: 900 });
    answerWith(PLATE);
    expectError(await add(), "service_unavailable");
    await changeRow(service.db, bags, 900, {
      flightDate: new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10),
    });
    expect(platesIn(await add())).toEqual([...FIRST, PLATE]);
  });

  it("that is given twice at once goes on one bag", async () => {
    answerWith(PLATE);
    const answers = await Promise.all([add(), add()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 503]);
    expect(await platesNow()).toEqual([...FIRST, PLATE]);
  });
});

describe("while the host is asked", () => {
  beforeEach(() => setHost(service));

  it("two who ask for the same slot get one bag", async () => {
    const answers = await Promise.all([add(ada, { slotNumber: 3 }), add(ada, { slotNumber: 3 })]);
    expect(answers.map(platesIn)).toEqual(Array(2).fill([...FIRST, "0117200000"]));
  });

  it("two who ask for the last piece get one bag and one refusal", async () => {
    hosts.answer = () => ({ result: "accepted", allowed: { pieces: 3 } });
    const answers = await Promise.all([add(), add()]);
    const refusal = answers.find(({ status }) => status !== 200);
    expectError(refusal as Answer, "bag_refused");
    expect(refusal?.body.errors).toEqual(["allowance"]);
    expect(await platesNow()).toHaveLength(3);
  });

  it("a booking that is erased gets no bag, and its answer is that of an unknown one", async () => {
    const { db } = service;
    const [before] = await db.select().from(journeys).where(eq(journeys.id, "demo-journey-1"));
    hosts.answer = async () => {
      await changeRow(db, journeys, "demo-journey-1", { passengerSealed: null });
      return { result: "accepted", licencePlate: PLATE };
    };
    expectError(await add(), "journey_not_found");
    expect(await platesNow()).toEqual(FIRST);
    await changeRow(db, journeys, "demo-journey-1", { passengerSealed: before?.passengerSealed ?? null });
  });

  it("a caller who loses the booking gets no bag", async () => {
    hosts.answer = async () => {
      await service.db.delete(loadedPlans);
      return { result: "accepted" };
    };
    expectError(await add(), "journey_not_found");
    expect(await platesNow()).toEqual(FIRST);
  });
});

describe("a host is not asked", () => {
  beforeEach(() => setHost(service));

  it("where nothing can be added: a stranger, a full journey, a slot that is taken, a plate that is here", async () => {
    const stranger = await guestSession(service);
    expectError(await add(stranger), "journey_not_found");
    expect((await add(ada, { slotNumber: 2 })).status).toBe(200);
    expect((await add(ada, { lpn: "0117123456" })).status).toBe(200);
    expectError(await add(ada, { lpn: PLATE }), "baggage_not_found");
    const staff = await staffSession(service);
    expectError(await add(staff, { lpn: "0117765432" }), "baggage_not_found");
    expectError(await add(staff, { lpn: "0220200001" }), "insufficient_scope");
    expect(hosts.asked).toEqual([]);
    for (let i = 0; i < 8; i++) await add();
    hosts.asked = [];
    expectError(await add(), "bag_limit");
    expect(hosts.asked).toEqual([]);
  });
});

it("staff's plate is put to the host, which may refuse it", async () => {
  await setHost(service);
  const staff = await staffSession(service);
  expect(platesIn(await add(staff, { lpn: PLATE }))).toEqual([...FIRST, PLATE]);
  expect((hosts.data()[0] as BagAcceptance).bag).toEqual({ number: 3, licencePlate: PLATE });
  hosts.answer = () => ({ result: "refused", reason: "too_late" });
  expectError(await add(staff, { lpn: "0117300001" }), "bag_refused");
  const own = and(eq(bags.journeyId, "demo-journey-1"), eq(bags.licencePlate, "0117300001"));
  expect(await service.db.select().from(bags).where(own)).toEqual([]);
});

const ASKED: BagAcceptance = {
  ...{ airline: "SK", recordLocator: "ABC123", flights: [], licencePlates: ["0117000001", "0117000002"] },
  ...{ journeyId: "j-1", passenger: { surname: "O'BRIEN", givenName: "SÍLE" } },
  bag: { number: 3 },
};
const GIVEN_PLATE = "0117000009";
const allowed = { kilograms: 23, pieces: 3 };
const granted = (...grants: object[]) => grants;
const refused = (...errors: string[]) => ({ code: "bag_refused", detail: { reason: errors[0], errors } });
const unanswered = (fault: string) => ({
  ...{ code: "service_unavailable", detail: { reason: `bag.acceptance: ${fault}` } },
});

/** What is granted, or the error. */
function decided(...args: Parameters<typeof decideBag>) {
  try {
    return decideBag(...args);
  } catch (error) {
    return error;
  }
}

type Row = readonly [string, BagAcceptanceAnswer, object, ...drawing: readonly object[]];

/** What the host answers; then what follows with the fallback `refuse`, and with `draw` where that differs. */
const ANSWERS: readonly Row[] = [
  ["accepts, leaves the plate to us", { result: "accepted" }, granted({})],
  ["accepts with limits", { result: "accepted", allowed }, granted({ allowed })],
  [
    "accepts with a plate",
    { result: "accepted", licencePlate: GIVEN_PLATE, readable: "SK000009", allowed },
    granted({ plate: { licencePlate: GIVEN_PLATE, readable: "SK000009" }, allowed }),
    granted({ plate: { licencePlate: GIVEN_PLATE, readable: "SK000009" }, allowed }, { allowed }),
  ],
  ["accepts fewer than there would be", { result: "accepted", allowed: { pieces: 2 } }, refused("allowance")],
  ...BAG_REFUSALS.map(
    (reason): Row => [`refuses: ${reason}`, { result: "refused", reason }, refused(reason)],
  ),
  ["refuses for a reason of its own", { result: "refused", reason: "moon" }, refused("restricted")],
  ["gives a plate and refuses", { result: "refused", licencePlate: GIVEN_PLATE }, refused("restricted")],
  [
    "says why",
    { result: "refused", reason: "allowance", sentence: "Two bags are free." },
    refused("allowance", "Two bags are free."),
  ],
  ...["Dear Mrs O’Brien, no.", "o'brien: no", "ABC123 has two.", "Booking abc123!"].map(
    (sentence): Row => [
      `names the passenger or the booking: ${sentence}`,
      { result: "refused", reason: "route", sentence },
      refused("route"),
    ],
  ),
];

it.each(ANSWERS.map((row) => [row[0], row] as const))(
  "a host that %s",
  (_, [, value, refusing, drawing = refusing]) => {
    expect(decided(ASKED, { ok: true, value }, "refuse")).toMatchObject(refusing);
    expect(decided(ASKED, { ok: true, value }, "draw")).toMatchObject(drawing);
  },
);

it("a host that fails leaves it to the airline's choice", () => {
  const failed = { ok: false, fault: "timeout" } as const;
  expect(decided(ASKED, failed, "refuse")).toMatchObject(unanswered("timeout"));
  expect(decided(ASKED, failed, "draw")).toEqual(granted({}));
});

it("a host that answers staff's plate with another has not answered", () => {
  const asked = { ...ASKED, bag: { number: 3, licencePlate: "0117000003" } };
  const accepted = (licencePlate: string) =>
    ({ ok: true, value: { result: "accepted", licencePlate } }) as const;
  expect(decided(asked, accepted("0117000003"), "refuse")).toEqual(granted({}));
  expect(decided(asked, accepted(GIVEN_PLATE), "refuse")).toMatchObject(unanswered("another plate"));
  expect(decided(asked, accepted(GIVEN_PLATE), "draw")).toEqual(granted({}));
});
