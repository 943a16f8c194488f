import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, bags, deviceTicketLocks, journeys } from "../../db/schema.ts";
import { bsmDay, bsmText, type PrintedMessage } from "../test-support/baggage-message-text.ts";
import { rowsIn } from "../test-support/database.ts";
import { TOMORROW } from "../test-support/days.ts";
import { startFeedingInterrupted } from "../test-support/feeds.ts";
import type { Interruption } from "../test-support/guarded-database.ts";
import { guestSession, staffOf, type TestSession } from "../test-support/logins.ts";
import { lockRow } from "../test-support/rows.ts";
import { expectError, type TestService } from "../test-support/service.ts";

/** What an airline's feed may not do to another airline: bookings without a flight of its own, and licence plates (rules §4). */

const date = TOMORROW;
/** In the range of LH in the development data, and in that of SK. */
const [LH_PLATE, SK_PLATE] = ["0220200007", "0117200007"];

let service: TestService;
let staff: TestSession;
let beforeCall: Interruption["beforeCall"];
beforeEach(async () => {
  ({ service, staff, beforeCall } = await startFeedingInterrupted());
  staff = await staffOf(service, "SK");
});

const flight = (carrier: string, number: string, from = "OSL", to = "CPH") => ({
  ...{ carrier, number, date, from, to },
});
const SK1460 = flight("SK", "1460");
const LH870 = flight("LH", "870", "CPH", "FRA");

const send = (
  licencePlate: string | undefined,
  flights: readonly object[],
  {
    session = staff,
    airline = "SK",
    ...more
  }: { session?: TestSession; airline?: string; withdraw?: string } = {},
) =>
  session.call("journeysFromAirlinePayload", {
    ...{ airline, recordLocator: `OWN${airline}1`, flights, ...more },
    passengers: [
      { surname: "NOETHER", givenName: "EMMY", ...(licencePlate && { baggage: [{ licencePlate }] }) },
    ],
  });
const take = async (message: Partial<PrintedMessage>, session = staff) =>
  (await session.call("baggageSourceMessages", { message: bsmText({ date, ...message }) })).body.results[0];
const bagsWith = (plate: string) =>
  service.db
    .select({ id: bags.id, journeyId: bags.journeyId, version: journeys.version })
    .from(bags)
    .innerJoin(journeys, eq(journeys.id, bags.journeyId))
    .where(eq(bags.licencePlate, plate));

describe("a booking of flights that are all other airlines'", () => {
  it.each([["booking"], [undefined]])(
    "is refused, and leaves nothing behind (withdraw: %s)",
    async (withdraw) => {
      const before = await rowsIn(env.DB);
      const answer = await send(undefined, [LH870], withdraw === undefined ? {} : { withdraw });
      expectError(answer, "insufficient_scope");
      expect(answer.body.errors).toEqual(["flights must have one of an airline that the session acts for"]);
      expect(await rowsIn(env.DB)).toEqual(before);
    },
  );

  it("is taken with one leg of the caller's own, and of a session that acts for the other airline, too", async () => {
    expect((await send(undefined, [LH870, SK1460])).status).toBe(200);
    const agent = await staffOf(service, "SK", "LH");
    expect((await send(undefined, [LH870], { session: agent })).status).toBe(200);
  });
});

describe("a licence plate of another airline's range", () => {
  it("is refused on a booking without a flight of that airline, which the refusal names", async () => {
    const before = await rowsIn(env.DB);
    const answer = await send(LH_PLATE, [SK1460]);
    expectError(answer, "insufficient_scope");
    expect(answer.body.errors).toEqual(["passengers.0.baggage.0.licencePlate is of the range of LH"]);
    expect(await take({ plates: `${LH_PLATE}001` })).toMatchObject({
      ...{ outcome: "refused", errorCode: "insufficient_scope" },
      errors: ["line 1: a plate is of the range of LH"],
    });
    expect(await rowsIn(env.DB)).toEqual(before);
  });

  it("is refused to staff who add a bag, with the same answer when it is repeated under its key", async () => {
    const add = (lpn: string) =>
      staff.call(
        "baggageTag",
        { lpn },
        { "Idempotency-Key": lpn },
        "/v2/journeys/demo-journey-1/baggage-tags",
      );
    const [first, again] = [await add(LH_PLATE), await add(LH_PLATE)];
    for (const answer of [first, again]) expectError(answer, "insufficient_scope");
    expect(first.body.errors).toEqual(["lpn is of the range of LH"]);
    expect([again.text, again.headers.get("Idempotent-Replayed")]).toEqual([first.text, "true"]);
    expect(await bagsWith(LH_PLATE)).toEqual([]);
    expect((await add(SK_PLATE)).status).toBe(200);
  });

  it("is taken where the booking has one of its flights", async () => {
    expect((await send(LH_PLATE, [SK1460, LH870])).status).toBe(200);
    const onward = { flights: ["SK1460/CPH", "LH0870/FRA"], plates: "0220200009001" };
    expect(await take(onward)).toMatchObject({ outcome: "applied" });
    await send(undefined, [SK1460, LH870]);
    const [{ journeyId } = { journeyId: "" }] = await bagsWith(LH_PLATE);
    const added = await staff.call(
      "baggageTag",
      { lpn: "0220200008" },
      {},
      `/v2/journeys/${journeyId}/baggage-tags`,
    );
    expect(added.status).toBe(200);
  });

  it("is taken where the message names its inbound flight", async () => {
    const inbound = `.I/LH0860/${bsmDay(date)}/FRA/Y`;
    expect(await take({ more: [inbound], plates: `${LH_PLATE}001` })).toMatchObject({ outcome: "applied" });
  });

  it.each([
    ["outside its serials", "0220199999"],
    ["of an issuer that has no range here", "0125200007"],
  ])("is none %s", async (_, plate) => {
    expect((await send(plate, [SK1460])).status).toBe(200);
  });
});

describe("the owner of a licence plate", () => {
  const ownBooking = () => send(LH_PLATE, [LH870], { airline: "LH" });

  it("takes it from another airline's booking, whose log and version record it", async () => {
    await send(LH_PLATE, [SK1460, LH870]);
    const [theirs] = await bagsWith(LH_PLATE);
    staff = await staffOf(service, "LH");
    const earlier = await service.db.$count(auditLog);
    const answer = await ownBooking();
    expect(answer.status).toBe(200);
    expect(answer.body.journeys[0].baggage).toMatchObject([{ licencePlate: LH_PLATE }]);
    expect(await bagsWith(LH_PLATE)).toMatchObject([{ journeyId: answer.body.journeys[0].journeyId }]);
    const [loser] = await service.db
      .select()
      .from(journeys)
      .where(eq(journeys.id, theirs?.journeyId ?? ""));
    expect(loser?.version).toBe((theirs?.version ?? 0) + 1);
    const rows = await service.db.select().from(auditLog).orderBy(auditLog.id);
    expect(rows.slice(earlier).filter(({ licencePlate }) => licencePlate === LH_PLATE)).toMatchObject([
      { airline: "SK", event: "bag_removed", baggageId: theirs?.id, sub: null },
    ]);
    const before = await rowsIn(env.DB);
    expect((await ownBooking()).status).toBe(200);
    expect(await rowsIn(env.DB)).toEqual(before);
  });

  it("takes it by a message, too, and from a booking of the same session", async () => {
    await send(LH_PLATE, [SK1460, LH870]);
    const agent = await staffOf(service, "SK", "LH");
    const message = { flights: ["LH0870/FRA"], station: "CPH", plates: `${LH_PLATE}001` };
    expect(await take(message, agent)).toMatchObject({ outcome: "applied" });
    expect(await bagsWith(LH_PLATE)).toHaveLength(1);
    expect(await take(message, agent)).toMatchObject({ outcome: "unchanged" });
  });

  /** A passenger of SK has a tag on the bag. */
  async function lockTheirs(): Promise<void> {
    const [bag] = await bagsWith(LH_PLATE);
    const device = { uniqueID: "ebt-20-0006" };
    const passenger = await guestSession(service);
    await passenger.call("deviceAttachment", { device, baggageId: bag?.id });
  }

  it("waits for the tag that is locked to the other bag: no feed ends a lock", async () => {
    await send(LH_PLATE, [SK1460, LH870]);
    await lockTheirs();
    staff = await staffOf(service, "LH");
    expectError(await ownBooking(), "device_locked");
    const message = { flights: ["LH0870/FRA"], station: "CPH", plates: `${LH_PLATE}001` };
    expect(await take(message)).toMatchObject({ outcome: "refused", errorCode: "device_locked" });
    await service.db.update(deviceTicketLocks).set({ endsAt: service.now() });
    expect((await ownBooking()).status).toBe(200);
  });

  it.each([["a booking"], ["a message"]])(
    "says so where a tag is locked to the other bag between read and write of %s",
    async (kind) => {
      await send(LH_PLATE, [SK1460, LH870]);
      const [bag] = await bagsWith(LH_PLATE);
      const [theirs] = await service.db
        .select()
        .from(journeys)
        .where(eq(journeys.id, bag?.journeyId ?? ""));
      staff = await staffOf(service, "LH");
      const of = { planId: theirs?.planId ?? "", journeyId: theirs?.id ?? "", baggageId: bag?.id ?? 0 };
      const lock = lockRow("ebt-20-0006", service.now() + 60_000, of);
      beforeCall(3, () => service.db.insert(deviceTicketLocks).values(lock));
      if (kind === "a booking") expectError(await ownBooking(), "device_locked");
      else {
        const message = { flights: ["LH0870/FRA"], station: "CPH", plates: `${LH_PLATE}001` };
        expect(await take(message)).toMatchObject({ outcome: "refused", errorCode: "device_locked" });
      }
      expect(await bagsWith(LH_PLATE)).toMatchObject([{ id: bag?.id, version: theirs?.version }]);
    },
  );

  it("takes none from its own bookings, and none outside its range", async () => {
    await send(SK_PLATE, [SK1460]);
    const other = { ...SK1460, number: "1462" };
    const body = { airline: "SK", recordLocator: "OTHER1", flights: [other] };
    const passengers = [{ surname: "HILBERT", givenName: "DAVID", baggage: [{ licencePlate: SK_PLATE }] }];
    expectError(await staff.call("journeysFromAirlinePayload", { ...body, passengers }), "baggage_not_found");
    await send("0125200007", [SK1460]);
    staff = await staffOf(service, "LH");
    expectError(await send("0125200007", [LH870], { airline: "LH" }), "baggage_not_found");
  });
});
