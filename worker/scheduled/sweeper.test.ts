import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { beforeEach, describe, expect, it, vi } from "vitest";
import * as schema from "../../db/schema.ts";
import { connect } from "../database/connect.ts";
import worker from "../index.ts";
import { sessionIdAt } from "../sessions/refresh-token.ts";
import { failingDatabase } from "../test-support/guarded-database.ts";
import { attestedSession, guestSession, staffSession } from "../test-support/logins.ts";
import { lockRow } from "../test-support/rows.ts";
import { scheduledRun, startClean, startService } from "../test-support/service.ts";

/** The Worker's own `scheduled()`, against rows that have ended and rows that have not. */

const NOW = Date.now();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const db = connect(env.DB);
/** Small batches: every fill below is more than one. */
const VARS = { SWEEP_ROWS_PER_STATEMENT: "3", SWEEP_STATEMENTS_PER_RUN: "200", BOOKINGS_PER_ERASURE: "2" };

/** One run with small batches; the line it logs. */
const run = (scheduledTime = NOW, vars: Record<string, unknown> = VARS) => scheduledRun(scheduledTime, vars);

const count = (table: SQLiteTable) => db.$count(table);
const each = <T>(length: number, row: (index: number) => T) =>
  Array.from({ length }, (_, index) => row(index));

/** As the service names them: by the time of their login. */
const sessionId = (name: string, createdAt: number) => `${sessionIdAt(createdAt)} ${name}`;

const session = (name: string, refreshExpiresAt: number): typeof schema.sessions.$inferInsert => ({
  id: sessionId(name, refreshExpiresAt - DAY),
  sub: name,
  clientId: "client-passenger",
  clientBound: true,
  method: "guest",
  evidence: "none",
  scopes: [],
  airlines: [],
  refreshCounter: 0,
  refreshHash: "h",
  refreshedAt: NOW - DAY,
  refreshExpiresAt,
  createdAt: NOW - DAY,
  expiresAt: refreshExpiresAt + DAY,
});

const certificate = (serial: string, expiresAt: number) => {
  const issuedAt = expiresAt - 7 * DAY;
  const owner = { sessionId: sessionId(serial, issuedAt), sub: "s", clientId: "c", spkiHash: "k" };
  return { serial, ...owner, issuedAt, expiresAt };
};

beforeEach(() => startClean());

describe("a scheduled run deletes what has ended and leaves what is live", () => {
  /** Five rows that ended and two that did not, under `name`. */
  const simple: readonly (readonly [string, SQLiteTable, (key: string, end: number) => object])[] = [
    ["usedOnce", schema.usedOnce, (hash, endsAt) => ({ hash, endsAt })],
    ["guessCounters", schema.guessCounters, (key, endsAt) => ({ key, count: 1, endsAt, requestId: "r" })],
    ["failedProofs", schema.failedProofs, (deviceId, endsAt) => ({ deviceId, count: 1, lastAt: 0, endsAt })],
    [
      "idempotencyRecords",
      schema.idempotencyRecords,
      // Whole days go, once the last record of the day has ended.
      (key, end) => {
        const outcome = { bodyHash: "h", outcome: "ok", facts: {} };
        const day = Math.floor(NOW / DAY) - (end > NOW ? 1 : 2);
        return { day, sub: "s", endpoint: "e", key, ...outcome, createdAt: end - DAY, expiresAt: end };
      },
    ],
    ["certificates", schema.certificates, certificate],
  ];

  it.each(simple)("%s", async (name, table, row) => {
    const ended = each(5, (index) => row(`ended ${index}`, NOW - index));
    const live = each(2, (index) => row(`live ${index}`, NOW + 1 + index));
    await db.insert(table).values([...ended, ...live]);
    expect(await run()).toMatchObject({ swept: { [name]: 5 }, unfinished: [] });
    expect(await count(table)).toBe(2);
    expect((await run()).swept).toEqual({});
    expect(await count(table)).toBe(2);
  });

  it("sessions, once their last access token is over", async () => {
    const accessLife = 600_000;
    const dead = each(4, (index) => session(`dead ${index}`, NOW - accessLife - index));
    const dying = session("its access token may still live", NOW - accessLife + 1);
    const live = session("live", NOW + HOUR);
    await db.insert(schema.sessions).values([...dead, dying, live]);
    expect(await run()).toMatchObject({ swept: { sessions: 4 }, unfinished: [] });
    expect(await count(schema.sessions)).toBe(2);
  });

  const key = (id: string, usedAt: number, createdAt = 0) => ({
    ...{ clientId: "client-passenger", format: "webauthn" as const, id, publicKey: "p", counter: 1 },
    ...{ transports: [], sub: "s", createdAt, usedAt, requestId: "r" },
  });

  it("keys that were not used for 400 days", async () => {
    await db
      .insert(schema.attestationCredentials)
      .values([...each(4, (index) => key(`${index}`, NOW - 400 * DAY)), key("live", NOW - 399 * DAY)]);
    expect((await run()).swept).toEqual({ credentials: 4 });
    expect(await count(schema.attestationCredentials)).toBe(1);
  });

  it("passkeys used on one day only, after 30 days, and no other keys", async () => {
    const made = NOW - 30 * DAY;
    await db
      .insert(schema.attestationCredentials)
      .values([
        key("once", made, made),
        key("twice that day", made + DAY - 1, made),
        key("young", made + 1, made + 1),
        key("back the day after", made + DAY, made),
        { ...key("an attested app", made, made), format: "apple-appattest" },
      ]);
    expect((await run()).swept).toEqual({ passkeysUsedOnce: 2 });
    const left = await db
      .select({ id: schema.attestationCredentials.id })
      .from(schema.attestationCredentials);
    expect(left.map(({ id }) => id).sort()).toEqual(["an attested app", "back the day after", "young"]);
  });

  it("locks, lost mode with them, each with an audit row", async () => {
    const ends = [
      ...each(5, (index) => [`ended-${index}`, NOW - index] as const),
      ["live", NOW + 1] as const,
    ];
    const tags = ends.map(([id]) => ({ id, label: id, registeredAt: NOW }));
    const locks = ends.map(([id, endsAt]) => lockRow(id, endsAt, { lostAt: NOW - HOUR }));
    await db.batch([
      db.insert(schema.devices).values(tags),
      db.insert(schema.deviceTicketLocks).values(locks),
    ]);
    const { swept } = await run();
    expect(swept).toMatchObject({ locks: 5 });
    const [lock, ...others] = await db.select().from(schema.deviceTicketLocks);
    expect([lock?.deviceId, others]).toEqual(["live", []]);
    const audit = await db.select().from(schema.auditLog);
    expect(audit.map(({ deviceId }) => deviceId).sort()).toEqual(each(5, (index) => `ended-${index}`));
    expect(audit[0]).toMatchObject({ event: "lock_ended", airline: "SK", sub: null, at: NOW });
    expect((await run()).swept).toEqual({});
    expect(await count(schema.auditLog)).toBe(5);
  });
});

describe("a scheduled run", () => {
  it("stops at its budget, gives every task its turn, and goes on next time", async () => {
    const ended = each(30, (index) => ({ hash: `n${index}`, endsAt: NOW - index }));
    await db.insert(schema.usedOnce).values(ended);
    await db.insert(schema.certificates).values(each(3, (index) => certificate(`c${index}`, NOW)));
    const small = { ...VARS, SWEEP_STATEMENTS_PER_RUN: "20" };
    const first = await run(NOW, small);
    expect(first.swept).toMatchObject({ certificates: 3 });
    expect(first.unfinished).toContain("usedOnce");
    expect(await count(schema.usedOnce)).toBeGreaterThan(0);
    for (let runs = 0; runs < 9; runs += 1) await run(NOW, small);
    expect(await count(schema.usedOnce)).toBe(0);
  });

  it("touches nothing that lives", async () => {
    const service = await startService();
    const sessions = [
      await guestSession(service),
      await attestedSession(service),
      await staffSession(service),
    ];
    for (const caller of sessions) await caller.call("deviceClientCertificate");
    await sessions[0]?.call("journeyFromRecordLocator", { recordLocator: "ABC123", surname: "Lovelace" });
    const attached = await sessions[0]?.call("deviceAttachment", {
      device: { uniqueID: "ebt-21-0001" },
      baggageId: 1,
    });
    expect(attached?.status).toBe(200);
    expect(await run(service.now())).toMatchObject({ status: 200, swept: {} });
    for (const caller of sessions) {
      const answer = await caller.call("ebtLookup", { uniqueDeviceId: "ebt-21-0001" });
      expect(answer).toMatchObject({ status: 200, body: { locked: true } });
    }
  });

  it("logs one line, and a data point", async () => {
    const points: unknown[] = [];
    const METRICS = { writeDataPoint: (point: unknown) => points.push(point) };
    expect(await run(NOW, { ...VARS, METRICS })).toMatchObject({
      route: "scheduled",
      status: 200,
      requestId: expect.stringMatching(/^[0-9a-f]{16}$/),
      at: new Date(NOW).toISOString(),
      calls: expect.any(Number),
      statements: expect.any(Number),
      milliseconds: expect.any(Number),
    });
    expect(points).toEqual([expect.objectContaining({ indexes: ["scheduled"] })]);
  });

  it("is a failed run where the database is out of reach, and logs it", async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const DB = failingDatabase(env.DB, () => "Network connection lost.");
    const controller = createScheduledController({ scheduledTime: NOW });
    await expect(worker.scheduled(controller, { ...env, DB })).rejects.toThrow(
      "failed: personalData, seals, archive, lateness",
    );
    expect(JSON.parse(String(log.mock.calls[0]?.[0]))).toMatchObject({
      status: 500,
      failures: [
        { task: "personalData", cause: "DatabaseUnavailable" },
        { task: "seals", cause: "DatabaseUnavailable" },
        { task: "archive", cause: "DatabaseUnavailable" },
        { task: "lateness", cause: "DatabaseUnavailable" },
      ],
    });
    log.mockRestore();
  });

  it("names the missing setting where the Worker is not configured", async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const controller = createScheduledController({ scheduledTime: NOW });
    await expect(worker.scheduled(controller, { ...env, PEPPER: undefined })).rejects.toThrow("PEPPER");
    expect(JSON.parse(String(log.mock.calls[0]?.[0]))).toMatchObject({
      route: "scheduled",
      status: 503,
      reason: "PEPPER is missing or malformed",
    });
    log.mockRestore();
  });

  it("goes on with the other tasks where one is wrong", async () => {
    await db.insert(schema.certificates).values(certificate("c", NOW));
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    let calls = 0;
    const DB = failingDatabase(env.DB, () => (++calls === 1 ? "no such table: x: SQLITE_ERROR" : undefined));
    const controller = createScheduledController({ scheduledTime: NOW });
    await expect(worker.scheduled(controller, { ...env, DB })).rejects.toThrow("failed: personalData");
    log.mockRestore();
    expect(await count(schema.certificates)).toBe(0);
  });
});
