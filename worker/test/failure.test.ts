import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { databaseError, isDatabaseUnavailable } from "../database/database-errors.ts";
import { failingDatabase } from "../test-support/guarded-database.ts";
import { guestSession } from "../test-support/logins.ts";
import { expectError, startService } from "../test-support/service.ts";

const OUTAGE = "Network connection lost.";
/** Refused after one call, which finds the client; the second writes the audit row. */
const LOGIN = { nonce: "n", attestationObject: "a" };

/** A service whose database can be taken away, from the start or after so many calls. */
async function startFragile(message?: string, after = 0) {
  const state = { down: message };
  let calls = 0;
  const database = (binding: D1Database) =>
    failingDatabase(binding, () => (++calls > after ? state.down : undefined));
  const service = await startService({}, undefined, { database });
  return { service, state };
}

describe("a database out of reach", () => {
  it.each([
    "Network connection lost.",
    "D1 DB is overloaded. Requests queued for too long.",
    "D1 DB storage operation exceeded timeout which caused object to be reset.",
    "Internal error in D1 DB storage caused object to be reset.",
    "Cannot resolve D1 DB due to transient issue on remote node.",
    "database is locked: SQLITE_BUSY",
    "disk I/O error: SQLITE_IOERR",
  ])("is service_unavailable with Retry-After: %s", async (message) => {
    const { service } = await startFragile(message);
    const answer = await service.call("guestSession", LOGIN);
    expectError(answer, "service_unavailable");
    expect(answer.headers.get("Retry-After")).toBe("5");
    expect(service.log.at(-1)).toMatchObject({
      status: 503,
      errorCode: "service_unavailable",
      reason: "database",
    });
  });

  it("is service_unavailable behind an access token, in a batch, too", async () => {
    const { service, state } = await startFragile();
    const session = await guestSession(service);
    state.down = OUTAGE;
    for (const name of ["ebtLookup", "ebtUnlock", "ebtAuthorization"] as const) {
      const body = { uniqueDeviceId: "ebt-21-0001", nonce: "AAAAAAAAAAAAAAAAAAAAAA" };
      expectError(await session.call(name, body), "service_unavailable");
    }
  });

  it("makes a refusal service_unavailable where only the audit row cannot be written", async () => {
    const { service } = await startFragile(OUTAGE, 1);
    expectError(await service.call("guestSession", LOGIN), "service_unavailable");
  });

  it("shows at /healthz, by GET and by HEAD", async () => {
    const { service, state } = await startFragile();
    expect(await service.fetch("/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
    expect((await service.fetch("/healthz", { method: "HEAD" })).status).toBe(200);
    expect(service.log.at(-1)).toMatchObject({ route: "/healthz", calls: 1, statements: 1 });
    state.down = OUTAGE;
    for (const method of ["GET", "HEAD"]) {
      const answer = await service.fetch("/healthz", { method });
      expect(answer.status).toBe(503);
      expect(answer.headers.get("Retry-After")).toBe("5");
    }
    expect((await service.post("/healthz")).status).toBe(405);
  });

  it("shows at /healthz where a migration of this build is missing, or the list of them", async () => {
    const { service } = await startFragile();
    const status = async () => (await service.fetch("/healthz")).status;
    await env.DB.prepare("update d1_migrations set name = 'x' || name").run();
    expect(await status()).toBe(503);
    await env.DB.prepare("update d1_migrations set name = substr(name, 2)").run();
    expect(await status()).toBe(200);
    await env.DB.prepare("alter table d1_migrations rename to d1_elsewhere").run();
    expect(await status()).toBe(503);
    await env.DB.prepare("alter table d1_elsewhere rename to d1_migrations").run();
    expect(await status()).toBe(200);
  });

  it("answers a preflight, and a page of another origin, as it answers others", async () => {
    const { service } = await startFragile(OUTAGE);
    const Origin = "http://localhost:5173";
    const headers = { Origin, "Access-Control-Request-Method": "POST" };
    expect((await service.fetch("/v2/auth/nonces", { method: "OPTIONS", headers })).status).toBe(503);
    expect((await service.post("/v2/auth/nonces", {}, { Origin })).status).toBe(503);
    expect(service.log).toHaveLength(2);
  });
});

describe("a statement that is wrong", () => {
  it("is internal_error, and its detail stays in the log", async () => {
    const { service } = await startFragile("no such table: clients: SQLITE_ERROR");
    const answer = await service.call("guestSession", LOGIN);
    expectError(answer, "internal_error");
    expect(answer.text).not.toContain("clients");
    expect(service.log.at(-1)).toMatchObject({ errorCode: "internal_error", stack: expect.any(Array) });
    expect(JSON.stringify(service.log)).not.toContain("no such table");
  });

  it("is internal_error, with one log line, when it is the audit log's", async () => {
    const { service } = await startFragile("no such table: audit_log: SQLITE_ERROR", 1);
    expectError(await service.call("guestSession", LOGIN), "internal_error");
    expect(service.log).toEqual([expect.objectContaining({ status: 500, errorCode: "internal_error" })]);
  });

  it.each([
    "D1_ERROR: no such column: x at offset 7: SQLITE_ERROR",
    "D1_ERROR: UNIQUE constraint failed: clients.id: SQLITE_CONSTRAINT",
    "D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'",
    "D1_ERROR: Wrong number of parameter bindings for SQL query.",
  ])("is not taken for an outage: %s", (message) => {
    expect(isDatabaseUnavailable(databaseError(new Error(message)))).toBe(false);
    expect(isDatabaseUnavailable(databaseError(new Error("Failed", { cause: new Error(message) })))).toBe(
      false,
    );
  });
});
