import { and, eq, gt, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { HEADER, Journey, parseBody } from "../../core/api/index.ts";
import { bags, journeys, pastBags, plateRanges, travelPlans } from "../../db/schema.ts";
import { seal } from "../secrets/sealed.ts";
import { attestedSession, guestSession, staffSession, type TestSession } from "../test-support/logins.ts";
import { changeRow, lastAudit } from "../test-support/rows.ts";
import { type Answer, expectError, startClean, type TestService } from "../test-support/service.ts";
import { freeBagIds } from "./bag-ids.ts";

let service: TestService;
let ada: TestSession;
let date: string;

beforeEach(async () => {
  service = await startClean();
  ada = await guestSession(service);
  await ada.call("journeyFromRecordLocator", { recordLocator: "ABC123", surname: "LOVELACE" });
  date = new Date(service.now() + 86_400_000).toISOString().slice(0, 10);
});

function add(
  session: TestSession,
  body: unknown = {},
  { journey = "demo-journey-1", key }: { readonly journey?: string; readonly key?: string } = {},
): Promise<Answer> {
  const headers: Record<string, string> = key === undefined ? {} : { [HEADER.idempotencyKey]: key };
  return session.call("baggageTag", body, headers, `/v2/journeys/${journey}/baggage-tags`);
}

const platesIn = ({ body }: Answer) =>
  body.baggage.map(({ licencePlate }: { licencePlate: string }) => licencePlate);
const nextSerial = async () =>
  (await service.db.select().from(plateRanges).where(eq(plateRanges.airline, "SK")))[0]?.nextSerial;

describe("adding a bag", () => {
  it("gives the journey with a bag that has the airline's next plate", async () => {
    const answer = await add(ada);
    expect(answer.status).toBe(200);
    expect(parseBody(Journey, answer.body)).toEqual({ ok: true, value: answer.body });
    expect(platesIn(answer)).toEqual(["0117123456", "0117123457", "0117200000"]);
    expect(answer.body.baggage[2]).toMatchObject({ readable: "SK200000" });
    expect(answer.body.version).toBe(2);
    expect(platesIn(await add(ada))[3]).toBe("0117200001");
  });

  it("writes an audit row without personal data", async () => {
    await add(ada);
    const row = await lastAudit(service);
    expect(row).toMatchObject({
      ...{ event: "bag_added", airline: "SK", clientId: "client-passenger" },
      ...{ journeyId: "demo-journey-1", licencePlate: expect.stringMatching(/^0117/) },
    });
    expect(JSON.stringify(row)).not.toMatch(/LOVELACE|ABC123/i);
  });

  it("stops at ten bags, and at none that is not there", async () => {
    for (let i = 0; i < 8; i++) await add(ada);
    const before = await nextSerial();
    expectError(await add(ada), "bag_limit");
    expect((await add(await staffSession(service), { lpn: "0117123456" })).status).toBe(200);
    expect(await nextSerial()).toBe(before);
    expect(await service.db.select().from(bags).where(eq(bags.journeyId, "demo-journey-1"))).toHaveLength(10);
  });

  it("adds nothing where the slot asked for has its bag", async () => {
    expect(platesIn(await add(ada, { slotNumber: 2 }))).toHaveLength(2);
    expect(platesIn(await add(ada, { slotNumber: 3 }))).toHaveLength(3);
    expect(platesIn(await add(ada, { slotNumber: 3 }))).toHaveLength(3);
    const many = await Promise.all(Array.from({ length: 8 }, () => add(ada, { slotNumber: 4 })));
    expect(new Set(many.map((answer) => platesIn(answer).join()))).toHaveLength(1);
    expect(await nextSerial()).toBe(200_002);
  });
});

describe("licence plates", () => {
  it("have no gap and no repeat under 100 parallel calls", async () => {
    const { db } = service;
    // Room for a hundred bags: twenty passengers of one booking.
    const ids = Array.from({ length: 20 }, (_, i) => `crowd-${i}`);
    for (const id of ids) await addPassenger(id);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => add(ada, {}, { journey: ids[i % 20] as string })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const rows = await db.select().from(bags).where(gt(bags.id, 4));
    const serials = rows.map(({ licencePlate }) => Number(licencePlate.slice(4))).sort((a, b) => a - b);
    expect(serials).toEqual(Array.from({ length: 100 }, (_, i) => 200_000 + i));
    expect(await nextSerial()).toBe(200_100);
  });

  it("pass over what a bag carries within ten days, from whatever source", async () => {
    const near = shifted(-10);
    await service.db.insert(bags).values([
      { journeyId: "demo-journey-3", licencePlate: "0117200000", flightDate: date },
      { journeyId: "demo-journey-3", licencePlate: "0117200001", flightDate: near },
      { journeyId: "demo-journey-3", licencePlate: "0117200002", flightDate: shifted(-11) },
    ]);
    expect(platesIn(await add(ada))[2]).toBe("0117200002");
    expect(platesIn(await add(ada))[3]).toBe("0117200003");
  });

  it("pass over those of past bookings, as long as they rest", async () => {
    const today = Math.floor(service.now() / 86_400_000);
    const flightDay = Date.parse(date) / 86_400_000;
    await service.db.insert(pastBags).values([
      { id: 9_000, day: today, licencePlate: 117_200_000, flightDay: flightDay - 4 },
      { id: 9_001, day: today - 14, licencePlate: 117_200_001, flightDay: flightDay - 10 },
      { id: 9_002, day: today - 1, licencePlate: 117_200_002, flightDay: flightDay - 11 },
      { id: 9_003, day: today - 15, licencePlate: 117_200_003, flightDay: flightDay - 4 },
    ]);
    expect(platesIn(await add(ada))[2]).toBe("0117200002");
    expect(platesIn(await add(ada))[3]).toBe("0117200003");
  });

  it("begin again after the last, passing over those in use", async () => {
    await service.db
      .update(plateRanges)
      .set({ firstSerial: 123_456, lastSerial: 123_459, nextSerial: 123_459 })
      .where(eq(plateRanges.airline, "SK"));
    expect(platesIn(await add(ada)).slice(2)).toEqual(["0117123459"]);
    // 123456 and 123457 are Ada's bags.
    expect(platesIn(await add(ada)).slice(2)).toEqual(["0117123459", "0117123458"]);
    expectError(await add(ada), "service_unavailable");
    expect(await nextSerial()).toBe(123_459);
  });

  it("must be named for an airline that has no range", async () => {
    await service.db.update(plateRanges).set({ airline: "ZZ" }).where(eq(plateRanges.airline, "SK"));
    const refused = await add(ada, {}, { key: "no-range" });
    expectError(refused, "required_info_not_provided");
    expect(refused.body.errors).toEqual([expect.stringContaining("lpn")]);
    await service.db.update(plateRanges).set({ airline: "SK" }).where(eq(plateRanges.airline, "ZZ"));
    expect((await add(ada, {}, { key: "no-range" })).status).toBe(200);
  });
});

describe("a plate the caller names", () => {
  it("is that of a bag the journey has, for a passenger", async () => {
    const answer = await add(ada, { lpn: "0117123457" });
    expect(answer.status).toBe(200);
    expect(platesIn(answer)).toHaveLength(2);
  });

  it("is refused to a passenger otherwise, alike whether it is in use or not", async () => {
    const [used, free] = [await add(ada, { lpn: "0220654321" }), await add(ada, { lpn: "0117999999" })];
    expectError(used, "baggage_not_found");
    expect(used.text).toBe(free.text);
  });

  it("is added by staff, once", async () => {
    const staff = await staffSession(service);
    expect(platesIn(await add(staff, { lpn: "0117777777" }))[2]).toBe("0117777777");
    expect(platesIn(await add(staff, { lpn: "0117777777" }))).toHaveLength(3);
    expect(await nextSerial()).toBe(200_000);
  });

  it("is refused to staff where another bag of the day carries it", async () => {
    const staff = await staffSession(service);
    expectError(await add(staff, { lpn: "0117765432" }), "baggage_not_found");
    expectError(await add(staff, { lpn: "0220654321" }), "baggage_not_found");
    expect(await service.db.select().from(bags).where(gt(bags.id, 4))).toEqual([]);
  });
});

describe("a caller with a right to add bags", () => {
  it("is no caller who has not loaded the journey, with the answer for an unknown one", async () => {
    const stranger = await attestedSession(service);
    const [foreign, unknown] = [await add(stranger), await add(stranger, {}, { journey: "no-such-journey" })];
    expectError(foreign, "journey_not_found");
    expect(foreign.text).toBe(unknown.text);
    expect(await nextSerial()).toBe(200_000);
    expectError(await add(stranger, { lpn: "0117123456" }), "journey_not_found");
  });

  it("is staff of the airline and of no other", async () => {
    const staff = await staffSession(service);
    expect((await add(staff)).status).toBe(200);
    expectError(await add(staff, {}, { journey: "demo-journey-2" }), "journey_not_found");
    expectError(await add(staff, { lpn: "0220700000" }, { journey: "demo-journey-2" }), "journey_not_found");
  });

  it("is no caller once the journey is past", async () => {
    await changeRow(service.db, travelPlans, "demo-plan-1", { endsAt: service.now() });
    expectError(await add(ada), "journey_not_found");
    expect(await nextSerial()).toBe(200_000);
  });
});

describe("the same request under one Idempotency-Key", () => {
  it("adds one bag, also when sent at once", async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => add(ada, {}, { key: "k-1" })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const replays = answers.filter(({ headers }) => headers.get("Idempotent-Replayed") === "true");
    expect(replays).toHaveLength(5);
    expect(await nextSerial()).toBe(200_001);
    const made = and(eq(bags.journeyId, "demo-journey-1"), gt(bags.id, 4));
    expect(await service.db.select().from(bags).where(made)).toHaveLength(1);
  });

  it("with another body is refused", async () => {
    await add(ada, {}, { key: "k-2" });
    expectError(await add(ada, { slotNumber: 9 }, { key: "k-2" }), "idempotency_key_reused");
  });

  it("about another journey is refused, for nothing was added to that one", async () => {
    await ada.call("journeyFromRecordLocator", { recordLocator: "OB1NKE", surname: "O'BRIEN" });
    await add(ada, {}, { key: "k-2" });
    const other = await add(ada, {}, { key: "k-2", journey: "demo-journey-3" });
    expectError(other, "idempotency_key_reused");
  });
});

/** Another passenger in Ada's booking. */
async function addPassenger(id: string): Promise<void> {
  const { db, settings } = service;
  const [ada] = await db.select().from(journeys).where(eq(journeys.id, "demo-journey-1"));
  if (ada === undefined) throw new Error("no development data");
  const passenger = JSON.stringify({ givenName: "GRETA", surname: "HOPPER" });
  const passengerSealed = await seal(settings.dataKey, { field: "passenger", id }, passenger);
  await db.insert(journeys).values({ ...ada, id, passengerSealed });
}

const shifted = (days: number) => new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

it("ids are drawn that no bag has, nor one of a past booking that rests", async () => {
  const { db } = service;
  const [OF_ADA, RESTING] = [1, 7_000];
  await db
    .insert(pastBags)
    .values({ id: RESTING, day: 20_000, licencePlate: 117_000_001, flightDay: 19_999 });
  const drawn = [OF_ADA, RESTING, 7_001, 7_002, 7_003, 7_004, 7_005, 7_006, 7_007, 7_008];
  const random = () => {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, drawn.shift() ?? 0);
    return bytes;
  };
  const free = await db.all<{ id: number }>(sql`select id from ${freeBagIds({ random }, 2)} order by n`);
  expect(free.map(({ id }) => id)).toEqual([7_001, 7_002, 7_003, 7_004, 7_005, 7_006, 7_007, 7_008]);
});
