import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { AuditEvent, Journey } from "../../core/api/index.ts";
import { encodePayload, payloadDigest } from "../../core/bag/payload.ts";
import { ticketPayload } from "../../core/bag/ticket-payload.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { auditLog, b2bAccounts, clients, deviceTicketLocks, guessCounters } from "../../db/schema.ts";
import { demoPasses } from "../test-support/boarding-pass-text.ts";
import { TOMORROW } from "../test-support/days.ts";
import {
  ADA,
  guestSession,
  staffSession,
  subOf,
  type TestSession,
  withBookings,
} from "../test-support/logins.ts";
import { changeRow, flagKiosks } from "../test-support/rows.ts";
import {
  expectError,
  PARTNER_KEY,
  scheduledRun,
  startClean,
  type TestService,
} from "../test-support/service.ts";

/** Names of passengers as staff see them: at kiosks, whose session an attacker may have, and elsewhere (rules §4, §5). */

const TAG = "ebt-21-0001";
const PATH = "/v2/journeys/demo-journey-1";
const NAMED = { recordLocator: "ABC123", passenger: { givenName: "ADA", surname: "LOVELACE" } };
const MASKED = { recordLocator: "A•••••", passenger: { givenName: "ADA", surname: "L." } };

let service: TestService;
let staff: TestSession;
beforeEach(async () => {
  service = await startClean();
  staff = await staffSession(service);
});

const read = (session = staff) => session.call("journey", {}, {}, PATH);
const load = (session = staff) => session.call("journeyFromRecordLocator", ADA);
const attach = (session: TestSession) =>
  session.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 1 });
/** Ada, whose bag has the tag. */
async function holder(): Promise<TestSession> {
  const ada = await withBookings(service, await guestSession(service));
  await attach(ada);
  return ada;
}
const addBag = (body: object, session = staff) =>
  session.call("baggageTag", body, {}, `${PATH}/baggage-tags`);
const digestOf = async (journey: Journey) => {
  const [bag] = journey.baggage;
  if (bag === undefined) throw new Error("no bag");
  return toBase64Url(await payloadDigest(encodePayload(ticketPayload(journey, bag, { showLocator: false }))));
};
const authorize = (fields: object, session = staff) =>
  session.call("ebtAuthorization", { uniqueDeviceId: TAG, nonce: "n", ...fields });

describe("a kiosk's session, where its client asks for a PIN", () => {
  beforeEach(() => flagKiosks(service, { requireStaffPin: true }));

  it("gets from a tag to its journey, but to no name and no locator, and so to no custody proof", async () => {
    await holder();
    const events: AuditEvent[] = (await staff.call("auditEvents", { uniqueDeviceId: TAG })).body.events;
    expect(events[0]?.journeyId).toBe("demo-journey-1");
    const { body } = await read();
    expect(body).toMatchObject(MASKED);
    const guess = { recordLocator: body.recordLocator, surname: body.passenger.surname };
    expectError(
      await staff.call("ebtCustodyProof", { uniqueDeviceId: TAG, ...guess }),
      "custody_proof_invalid",
    );
    expect(await service.db.select().from(deviceTicketLocks)).toHaveLength(1);
  });

  it("gets no passenger's name from any answer, with every scope that there is", async () => {
    const ada = await holder();
    await ada.call("deviceLoss", { uniqueDeviceId: TAG, lost: true });
    const fed = {
      ...{ airline: "SK", recordLocator: "ABC123", passengers: [{ surname: "NEWMAN", givenName: "PAUL" }] },
      flights: [{ carrier: "SK", number: "1234", date: TOMORROW, from: "OSL", to: "ARN" }],
    };
    const answers = [
      await read(),
      await addBag({ slotNumber: 1 }),
      await addBag({}),
      await staff.call("journeys"),
      await staff.call("journeysFromAirlinePayload", fed),
      await staff.call("journeysFromAirlinePayload", { ...fed, withdraw: "passengers" }),
      await staff.call("ebtLookup", { uniqueDeviceId: TAG }),
      await staff.call("tracedBags"),
      await staff.call("tracedBags", { uniqueDeviceId: TAG }),
      await staff.call("auditEvents"),
      await staff.call("events"),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const { text } of answers) expect(text).not.toMatch(/lovelace|ABC123|newman/i);
    expectError(await staff.call("bagTrace", { uniqueDeviceId: TAG }), "not_lock_holder");
  });

  it("cannot guess a name by the digest of a label", async () => {
    const ada = await withBookings(service, await guestSession(service));
    const [named, hidden] = [(await read(ada)).body, (await read()).body];
    const full = { baggageId: 1, payloadDigest: await digestOf(named) };
    expectError(await authorize(full), "payload_mismatch");
    expect((await authorize({ ...full, payloadDigest: await digestOf(hidden) })).status).toBe(200);
    await load();
    expect((await authorize(full)).status).toBe(200);
  });

  it.each([
    ["record locator and surname", () => load()],
    ["a boarding pass", () => staff.call("journeyFromBcbp", { scanData: demoPasses(TOMORROW).lovelace })],
  ])("sees in clear what it has loaded by %s, in every answer", async (_, loading) => {
    expect((await loading()).body).toMatchObject(NAMED);
    for (const answer of [await read(), await addBag({ slotNumber: 1 })]) {
      expect(answer.body).toMatchObject(NAMED);
      expect(answer.body).not.toHaveProperty("delegationId");
    }
    service.advance(540);
    expect((await read()).body).toMatchObject(NAMED);
  });

  it("loads for its own account, and for no other", async () => {
    await load();
    const [account] = await service.db
      .select()
      .from(b2bAccounts)
      .where(eq(b2bAccounts.username, "kiosk-osl-1"));
    if (account === undefined) throw new Error("no account");
    await service.db
      .insert(b2bAccounts)
      .values({ ...account, username: "kiosk-osl-2" })
      .onConflictDoNothing();
    const other = await staffSession(service, { username: "kiosk-osl-2" });
    expect((await read(other)).body).toMatchObject(MASKED);
    expect((await read()).body).toMatchObject(NAMED);
  });

  it("sees names without its client's flag, and masks with it, from the next call on", async () => {
    expect((await read()).body).toMatchObject(MASKED);
    await flagKiosks(service, {});
    expect((await read()).body).toMatchObject(NAMED);
    await flagKiosks(service, { requireStaffPin: true });
    expect((await read()).body).toMatchObject(MASKED);
  });
});

describe("staff of any other client", () => {
  it("transfer by the contract alone: a journey's id, nothing loaded, the full label approved", async () => {
    const { body } = await read();
    expect(body).toMatchObject(NAMED);
    const tokenRequest = { baggageId: 1, forBaggageId: 1, payloadDigest: await digestOf(body) };
    expect((await authorize(tokenRequest)).status).toBe(200);
    const attached = await attach(staff);
    expect(attached.body).toMatchObject({ locked: true, journeyId: "demo-journey-1" });
  });
});

describe("reads of staff", () => {
  const rows = () => service.db.select().from(auditLog).where(eq(auditLog.event, "journeys_read"));
  const run = () => scheduledRun(service.now(), {});
  const toNextMinute = () => service.advance(60 - (Math.floor(service.now() / 1_000) % 60));
  beforeEach(async () => {
    toNextMinute();
    staff = await staffSession(service);
  });

  it("are one row per reader and minute, once the minute is over, with no name in it", async () => {
    const minute = `${new Date(service.now()).toISOString().slice(0, 16)}Z`;
    for (let i = 0; i < 3; i++) await read();
    await addBag({ slotNumber: 1 });
    await run();
    expect(await rows()).toEqual([]);
    toNextMinute();
    await read();
    expect((await run()).swept).toMatchObject({ staffReads: 1 });
    const who = { sub: subOf(staff), clientId: "client-kiosk", airline: "SK" };
    expect(await rows()).toMatchObject([
      { ...who, count: 4, reason: minute, at: service.now(), journeyId: null, mergeKey: null },
    ]);
    toNextMinute();
    await run();
    await run();
    expect((await rows()).map(({ count }) => count)).toEqual([4, 1]);
    expect(JSON.stringify(await rows())).not.toMatch(/lovelace|abc123/i);
    expect(await service.db.select().from(guessCounters)).toEqual([]);
  });

  it("of two clients are counted apart", async () => {
    await read();
    await changeRow(service.db, clients, "client-partner", { airlines: ["SK"] });
    const partner = await staffSession(service, { clientKey: PARTNER_KEY });
    expect((await read(partner)).status).toBe(200);
    toNextMinute();
    await run();
    expect((await rows()).map(({ clientId }) => clientId).toSorted()).toEqual([
      "client-kiosk",
      "client-partner",
    ]);
  });

  it("that find nothing, and those of passengers, are not counted", async () => {
    expectError(await staff.call("journey", {}, {}, "/v2/journeys/demo-journey-2"), "journey_not_found");
    expectError(await staff.call("journey", {}, {}, "/v2/journeys/none"), "journey_not_found");
    const ada = await withBookings(service, await guestSession(service));
    expect((await read(ada)).status).toBe(200);
    expect(await service.db.select().from(guessCounters)).toEqual([]);
  });
});
