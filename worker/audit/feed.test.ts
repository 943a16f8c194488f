import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import {
  BAG_EVENT_NAMES,
  type BagEvent,
  type EventsRequest,
  type EventsResponse,
} from "../../core/api/index.ts";
import { auditLog, b2bAccounts, clients, deviceTicketLocks } from "../../db/schema.ts";
import { attestedSession, guestSession, staffSession, type TestSession } from "../test-support/logins.ts";
import { appendAudit, changeRow } from "../test-support/rows.ts";
import { expectError, scheduledRun, startClean, type TestService } from "../test-support/service.ts";

/** POST /v2/events: the audit log read forward. Staff of the development data act for SK. */

const TAG = "EBT-21-0001";
const ROWS = 7;
let service: TestService;
let staff: TestSession;

beforeEach(async () => {
  service = await startClean({ EVENT_ROWS_PER_PAGE: String(ROWS) });
  staff = await staffSession(service);
});

async function read(request: EventsRequest = {}, session = staff): Promise<EventsResponse> {
  const answer = await session.call("events", request);
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Everything from `request` on, page by page. */
async function readAll(request: EventsRequest = {}, session = staff) {
  const events: BagEvent[] = [];
  let [page, pages] = [await read(request, session), 1];
  for (; ; pages += 1) {
    events.push(...page.events);
    if (!page.more) return { events, cursor: page.cursor, pages };
    page = await read({ limit: request.limit ?? 100, cursor: page.cursor }, session);
  }
}

const names = (events: readonly BagEvent[]) => events.map(({ event }) => event);
const append = (airlines: readonly (string | null)[], event = "attached") =>
  appendAudit(service.db, airlines.length, (i) => ({
    at: service.now(),
    event,
    airline: airlines[i] ?? null,
  }));

describe("what happens to a bag", () => {
  it("is listed in its order, with journey, bag, plate, tag, evidence and time, and no person's name", async () => {
    const holder = await attestedSession(service);
    const stranger = await guestSession(service);
    const uniqueDeviceId = TAG;
    await holder.call("journeyFromRecordLocator", { recordLocator: "ABC123", surname: "Lovelace" });
    await holder.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 1 });
    await holder.call("deviceLoss", { uniqueDeviceId, lost: true });
    await holder.call("deviceLoss", { uniqueDeviceId, lost: false });
    const wrong = { uniqueDeviceId, recordLocator: "ABC124", surname: "Lovelace" };
    expectError(await stranger.call("ebtCustodyProof", wrong), "custody_proof_invalid");
    await stranger.call("ebtCustodyProof", { ...wrong, recordLocator: "ABC123" });
    await holder.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 2 });
    await holder.call("ebtUnlock", { uniqueDeviceId });
    const { events } = await readAll();
    // Those that have the scope for names get them in one field (baggage-message.test.ts).
    const nameless = events.map(({ baggageMessage, ...event }) => event);
    const bag = { journeyId: "demo-journey-1", uniqueDeviceId: "ebt-21-0001", evidence: "entitled" };
    const first = { ...bag, baggageId: 1, licencePlate: "0117123456" };
    const second = { ...bag, baggageId: 2, licencePlate: "0117123457" };
    const at = new Date(service.now()).toISOString();
    const common = { id: expect.stringMatching(/^[\w-]{22}$/), at, airline: "SK" };
    const happened = ["attached", "lost", "found", "custody_proof_failed", "custody_proven"];
    expect(nameless).toEqual([
      ...happened.map((event) => ({ ...common, event, ...first })),
      ...["attached", "cleared"].map((event) => ({ ...common, event, ...second })),
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(7);
    expect(JSON.stringify(nameless)).not.toMatch(/lovelace|abc12/i);
  });

  it("names the evidence of a claim, and a lock that expired", async () => {
    const stranger = await guestSession(service);
    await stranger.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 1 });
    await service.db.update(deviceTicketLocks).set({ endsAt: service.now() });
    await scheduledRun(service.now(), {});
    const { events } = await readAll();
    expect(events.map(({ event, evidence, licencePlate }) => [event, evidence, licencePlate])).toEqual([
      ["attached", "claimed", "0117123456"],
      ["lock_ended", "claimed", "0117123456"],
    ]);
  });

  it("is sent to both airlines where a tag leaves a booking for another, or its ended lock is written over", async () => {
    const passenger = await attestedSession(service);
    for (const known of [
      { recordLocator: "ABC123", surname: "Lovelace" },
      { recordLocator: "K7Q2ZD", surname: "Müller" },
    ]) {
      await passenger.call("journeyFromRecordLocator", known);
    }
    const attach = (baggageId: number) =>
      passenger.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId });
    for (const bag of [1, 2, 3]) expect((await attach(bag)).status).toBe(200);
    await service.db.update(deviceTicketLocks).set({ endsAt: service.now() });
    await attach(1);
    const rows = await service.db.select().from(auditLog).where(sql`device_id is not null`);
    expect(rows.map(({ event, airline, baggageId }) => [event, airline, baggageId])).toEqual([
      ["attached", "SK", 1],
      ["attached", "SK", 2],
      ["replaced", "SK", 2],
      ["attached", "LH", 3],
      ["lock_ended", "LH", 3],
      ["attached", "SK", 1],
    ]);
    expect(rows[4]).toMatchObject({ sub: null, clientId: null });
  });

  it("is listed only for the event names of its table", async () => {
    for (const event of ["booking_fed", "staff_checked", "invalid_credentials"]) await append(["SK"], event);
    for (const event of BAG_EVENT_NAMES) await append(["SK"], event);
    expect(names((await readAll()).events)).toEqual(BAG_EVENT_NAMES);
  });
});

describe("a reader", () => {
  it("gets each event once, in order, whatever the pages, and then what is new", async () => {
    await append(Array.from({ length: 20 }, (_, i) => (i % 3 === 0 ? "SK" : "LH")));
    const whole = await readAll();
    expect(whole.events).toHaveLength(7);
    for (const limit of [1, 2, 500]) {
      const paged = await readAll({ limit });
      expect(paged.events).toEqual(whole.events);
      expect(paged.pages).toBeGreaterThan(2);
    }
    expect((await read({ cursor: whole.cursor })).events).toEqual([]);
    await append(["LH", "SK"], "cleared");
    expect(names((await readAll({ cursor: whole.cursor })).events)).toEqual(["cleared"]);
  });

  it("misses no row that another request committed late, whatever time it has", async () => {
    await append(["SK"]);
    const { cursor } = await readAll();
    await service.db.insert(auditLog).values({ at: 1, event: "lost", requestId: "slow", airline: "SK" });
    expect(names((await readAll({ cursor })).events)).toEqual(["lost"]);
  });

  it("may begin at an instant, and leaves out what was long before", async () => {
    const at = (minutes: number, event: string) =>
      service.db.insert(auditLog).values({
        ...{ at: service.now() + minutes * 60_000, event, requestId: "r", airline: "SK" },
      });
    for (const [minutes, event] of [
      [-60, "attached"],
      [1, "lost"],
      // Committed after one that began later.
      [0, "found"],
    ] as const) {
      await at(minutes, event);
    }
    const from = new Date(service.now()).toISOString();
    expect(names((await readAll({ from })).events)).toEqual(["lost", "found"]);
    const later = new Date(service.now() + 3_600_000).toISOString();
    const { events, cursor } = await readAll({ from: later });
    expect(events).toEqual([]);
    await at(2, "cleared");
    expect(names((await readAll({ cursor })).events)).toEqual(["cleared"]);
  });

  it("takes one D1 call beside the authentication, and never returns another airline's, nor rows of no airline", async () => {
    await append(["LH", null, "SK"]);
    const { cursor, events } = await read();
    expect(events.map(({ airline }) => airline)).toEqual(["SK"]);
    await read({ cursor });
    expect(service.log.at(-1)).toMatchObject({ calls: 2 });
    await service.db.update(b2bAccounts).set({ airlines: ["LH"] });
    await changeRow(service.db, clients, "client-kiosk", { airlines: ["SK", "LH"] });
    const other = await staffSession(service);
    expect((await read({}, other)).events.map(({ airline }) => airline)).toEqual(["LH"]);
    await service.db.update(b2bAccounts).set({ airlines: ["SK"] });
    await changeRow(service.db, clients, "client-kiosk", { airlines: ["SK"] });
  });
});

describe("a cursor", () => {
  const DAY = 86_400_000;
  const VARS = { AUDIT_ROWS_PER_SEAL: "5" };
  // Its seals begin with the first again, and nothing in an archive is written over.
  const emptyArchive = async () =>
    env.ARCHIVE?.delete((await env.ARCHIVE.list()).objects.map(({ key }) => key));
  beforeEach(emptyArchive);
  afterAll(emptyArchive);

  it("is valid for seven days, and reports rows that were archived since", async () => {
    await append(["SK", "SK"]);
    const old = await readAll();
    await append(
      Array.from({ length: 20 }, () => "SK"),
      "lost",
    );
    const now = service.now();
    await scheduledRun(now, VARS);
    expect(await scheduledRun(now + 7 * DAY - 1, VARS)).toMatchObject({ archived: { ranges: 0 } });
    // The run has swept the session, too.
    staff = await staffSession(service);
    expect((await readAll({ cursor: old.cursor })).events).toHaveLength(20);
    expect(await read({ cursor: old.cursor })).not.toHaveProperty("missed");
    expect(await scheduledRun(now + 7 * DAY, VARS)).toMatchObject({ archived: { ranges: 4 } });
    staff = await staffSession(service);
    const late = await read({ cursor: old.cursor });
    expect(late).toMatchObject({ missed: true, events: [{ event: "lost" }, { event: "lost" }] });
    expect(await read({ cursor: late.cursor })).not.toHaveProperty("missed");
  });

  it("of an empty log reports rows that were written and archived since, too", async () => {
    const { cursor } = await read();
    await append(Array.from({ length: 20 }, () => "SK"));
    expect(await read({ cursor })).not.toHaveProperty("missed");
    const now = service.now();
    await scheduledRun(now, VARS);
    expect(await scheduledRun(now + 7 * DAY, VARS)).toMatchObject({ archived: { ranges: 3 } });
    staff = await staffSession(service);
    expect(await read({ cursor })).toMatchObject({ missed: true });
    expect(await read()).not.toHaveProperty("missed");
  });

  it("of a log that was restored to an earlier time leads to the beginning, and reports it", async () => {
    await append(["SK", "SK", "SK"]);
    const { cursor } = await readAll();
    const [last] = await service.db.select({ id: sql<number>`max(id)`.as("last") }).from(auditLog);
    await service.db.delete(auditLog).where(eq(auditLog.id, last?.id ?? 0));
    const gone = await read({ cursor });
    expect([gone.missed, gone.events.length]).toEqual([true, 2]);
    const row = { id: last?.id ?? 0, at: service.now() + 1, event: "lost", requestId: "r", airline: "SK" };
    await service.db.insert(auditLog).values(row);
    const other = await read({ cursor });
    expect([other.missed, names(other.events)]).toEqual([true, ["attached", "attached", "lost"]]);
  });
});
