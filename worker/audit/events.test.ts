import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AuditEventsRequest, AuditEventsResponse } from "../../core/api/index.ts";
import { b2bAccounts, clients } from "../../db/schema.ts";
import { altered } from "../test-support/app-instance.ts";
import { attestedSession, staffSession, type TestSession } from "../test-support/logins.ts";
import { appendAudit } from "../test-support/rows.ts";
import { expectError, startClean, type TestService } from "../test-support/service.ts";

/** POST /v2/audit-events. Staff of the development data act for SK. */

const PAGE = "4";

let service: TestService;
let staff: TestSession;

async function list(request: AuditEventsRequest = {}): Promise<AuditEventsResponse> {
  const answer = await staff.call("auditEvents", request);
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Every event, page by page, with the number of pages. */
async function listAll(request: AuditEventsRequest = {}) {
  const events: AuditEventsResponse["events"][number][] = [];
  let pages = 0;
  for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages += 1) {
    const page = await list({ ...request, ...(cursor === undefined ? {} : { cursor }) });
    events.push(...page.events);
    cursor = page.nextCursor;
  }
  return { events, pages };
}

describe("what happened to tags", () => {
  beforeEach(async () => {
    service = await startClean();
    staff = await staffSession(service);
  });

  it("is listed newest first, with its actor, event, tag and request", async () => {
    const holder = await attestedSession(service);
    const device = { uniqueID: "EBT-21-0001" };
    const attached = await holder.call("deviceAttachment", { device, baggageId: 1 });
    service.advance(60);
    const unlocked = await holder.call("ebtUnlock", { uniqueDeviceId: "ebt-21-0001" });
    const { events, nextCursor } = await list();
    expect(nextCursor).toBeUndefined();
    expect(events).toEqual([
      {
        at: new Date(service.now()).toISOString(),
        event: "cleared",
        requestId: unlocked.headers.get("X-Request-Id"),
        airline: "SK",
        uniqueDeviceId: "ebt-21-0001",
        subject: expect.stringMatching(/^[\w-]{43}$/),
        clientId: "client-passenger",
        ...{ journeyId: "demo-journey-1", baggageId: 1, licencePlate: "0117123456", evidence: "entitled" },
      },
      expect.objectContaining({
        event: "attached",
        requestId: attached.headers.get("X-Request-Id"),
      }),
    ]);
  });
});

describe("a log of several airlines", () => {
  const START = Date.UTC(2026, 0, 1);

  beforeAll(async () => {
    service = await startClean({ AUDIT_ROWS_PER_PAGE: PAGE });
    staff = await staffSession(service);
    // Twelve instants, three rows each: one of SK, one of LH, one of no airline.
    await appendAudit(service.db, 36, (row) => {
      const index = Math.floor(row / 3);
      return {
        at: START + Math.floor(index / 3) * 1_000,
        event: index % 5 === 0 ? "lock_ended" : "attached",
        requestId: `r${index}`,
        airline: ["SK", "LH", null][row % 3] ?? null,
        deviceId: index % 2 === 0 ? "ebt-21-0001" : "ebt-21-0002",
      };
    });
  });

  it("returns its own airline's, each once, across pages and equal instants", async () => {
    const { events, pages } = await listAll();
    expect(pages).toBeGreaterThan(2);
    expect(events.map(({ requestId }) => requestId)).toEqual(
      Array.from({ length: 12 }, (_, index) => `r${11 - index}`),
    );
    expect(new Set(events.map(({ airline }) => airline))).toEqual(new Set(["SK"]));
  });

  it("seals its cursor, because ids count the rows of others", async () => {
    const [one, other] = [(await list()).nextCursor ?? "", (await list()).nextCursor ?? ""];
    expect(Buffer.from(one, "base64url").toString("latin1") + one).not.toMatch(
      new RegExp(`${START + 2_000}|${(START + 2_000).toString(36)}`),
    );
    expect([other === one, other.length]).toEqual([false, one.length]);
  });

  it("refuses a cursor that is made up, of the old form, or of the feed", async () => {
    const { nextCursor = "" } = await list();
    const feed = (await staff.call("events")).body.cursor;
    const unsealed = `${(START + 2_000).toString(36)}.${(20).toString(36)}`;
    for (const cursor of [altered(nextCursor), unsealed, feed, "MQ"]) {
      expectError(await staff.call("auditEvents", { cursor }), "invalid_request");
    }
    expectError(await staff.call("events", { cursor: nextCursor }), "invalid_request");
  });

  it("filters by event, though a page may then be short", async () => {
    const { events, pages } = await listAll({ event: "lock_ended" });
    expect(events.map(({ requestId }) => requestId)).toEqual(["r10", "r5", "r0"]);
    expect(pages).toBeGreaterThan(2);
  });

  it("filters by tag, under any of its names, still of its own airline alone", async () => {
    const { events } = await listAll({ uniqueDeviceId: " EBT-21-0002 " });
    expect(events.map(({ requestId }) => requestId)).toEqual(["r11", "r9", "r7", "r5", "r3", "r1"]);
    expect((await listAll({ uniqueDeviceId: "unknown" })).events).toEqual([]);
  });

  it("filters by time, from included, to excluded", async () => {
    const from = new Date(START + 1_000).toISOString();
    const to = "2026-01-01T01:00:03+01:00";
    const { events } = await listAll({ from, to });
    expect(events.map(({ requestId }) => requestId)).toEqual(["r8", "r7", "r6", "r5", "r4", "r3"]);
    expect((await listAll({ from: to, to: from })).events).toEqual([]);
  });

  it("returns none to staff without an airline", async () => {
    await service.db.update(b2bAccounts).set({ airlines: [] });
    const staff = await staffSession(service);
    expect((await staff.call("auditEvents")).body).toEqual({ events: [] });
  });

  it("returns staff of many airlines the events of all", async () => {
    const airlines = ["SK", "LH", "AY", "AF", "KL", "BA", "IB", "TP"];
    await service.db.update(b2bAccounts).set({ airlines });
    await service.db.update(clients).set({ airlines });
    const answer = await (await staffSession(service)).call("auditEvents");
    expect(answer.body.events.map(({ requestId }: { requestId: string }) => requestId)).toEqual([
      "r11",
      "r11",
      "r10",
      "r10",
    ]);
  });
});
