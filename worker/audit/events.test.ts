import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AuditEventsRequest, AuditEventsResponse } from "../../core/api/index.ts";
import { auditLog, b2bAccounts, clients } from "../../db/schema.ts";
import { attestedSession, staffSession, type TestSession } from "../test-support/logins.ts";
import { appendAudit } from "../test-support/rows.ts";
import {
  B2B_SECRET,
  expectError,
  KIOSK_KEY,
  PARTNER_KEY,
  startClean,
  type TestService,
} from "../test-support/service.ts";
import { auditReader } from "./seals/reader.ts";
import { sealAudit } from "./seals/sealing.ts";
import { verifyAudit } from "./seals/verification.ts";

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

/** `text`, base64url, with one character in its middle replaced: the bits of a last one may be unused, or the same already. */
function altered(text: string): string {
  const middle = Math.floor(text.length / 2);
  return `${text.slice(0, middle)}${text[middle] === "A" ? "B" : "A"}${text.slice(middle + 1)}`;
}

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

/** Refused logins share rows of the audit log: one per minute and cause, and per client or network. */

const startOfMinute = async () => {
  service = await startClean();
  // At the start of a minute, so that a test stays in it.
  service.advance(60 - (Math.floor(service.now() / 1_000) % 60));
};

const login = (password: string, clientKey = KIOSK_KEY) =>
  service.call(
    "b2bSession",
    { username: "kiosk-osl-1", password },
    { "X-Source-App-Key": clientKey, "X-B2B-Secret": B2B_SECRET },
  );
const guestLogin = (address: string) =>
  service.post(
    "/v2/auth/guest/sessions",
    { nonce: "?", attestationObject: "?" },
    { "CF-Connecting-IP": address },
  );
const rows = async () =>
  (await service.db.select().from(auditLog)).map(({ event, reason, clientId, count }) => ({
    ...{ event, reason, clientId, count },
  }));
const seal = () => sealAudit({ ...service, now: service.now(), elapsed: () => 0 });

describe("refusals", () => {
  beforeEach(startOfMinute);

  it("of one cause within a minute are one row that counts them, at the same time, too", async () => {
    await Promise.all(Array.from({ length: 20 }, () => login("wrong")));
    const expected = { event: "invalid_credentials", reason: "password", clientId: "client-kiosk" };
    expect(await rows()).toEqual([{ ...expected, count: 20 }]);
    service.advance(59);
    await login("wrong");
    service.advance(1);
    await login("wrong");
    expect(await rows()).toEqual([
      { ...expected, count: 21 },
      { ...expected, count: 1 },
    ]);
  });

  it("of another client, and without a client of another network, are another row", async () => {
    await login("wrong");
    await login("wrong", PARTNER_KEY);
    for (const address of ["192.0.2.1", "192.0.2.2", "198.51.100.1"]) await guestLogin(address);
    const counts = (await rows()).map(({ clientId, count }) => [clientId, count]);
    expect(counts).toEqual([
      ["client-kiosk", 1],
      ["client-partner", 1],
      [null, 2],
      [null, 1],
    ]);
  });

  it("name the last request that was counted, and no network", async () => {
    await guestLogin("192.0.2.1");
    const [row] = await service.db.select().from(auditLog);
    await guestLogin("192.0.2.1");
    // That row alone: no index, and not the table's sequence.
    expect(service.log.at(-1)).toMatchObject({ rowsWritten: 1 });
    const [after] = await service.db.select().from(auditLog);
    expect(after).toEqual({ ...row, count: 2, requestId: service.log.at(-1)?.requestId });
    expect(after?.mergeKey).toMatch(/^[\w-]{43}$/);
  });

  it("are read with their count by staff of the client's airline", async () => {
    for (let i = 0; i < 3; i++) await login("wrong");
    const staff = await staffSession(service);
    const { body } = await staff.call("auditEvents", { event: "invalid_credentials" });
    expect(body.events).toMatchObject([{ reason: "password", count: 3 }]);
  });

  it("are sealed only once they change no more, and then a changed count shows", async () => {
    await login("wrong");
    service.advance(30);
    expect(await seal()).toMatchObject({ rows: 0 });
    await login("wrong");
    service.advance(120);
    expect(await seal()).toMatchObject({ rows: 1 });
    const verify = async () =>
      (await verifyAudit(auditReader(service.db), service.settings.auditSealKeys.verifying)).faults;
    expect(await verify()).toEqual([]);
    await service.db.update(auditLog).set({ count: 1 });
    expect(await verify()).toMatchObject([{ kind: "row_changed" }]);
  });
});
