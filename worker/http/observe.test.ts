import { expect, it } from "vitest";
import { guestSession, staffSession } from "../test-support/logins.ts";
import { lastSession } from "../test-support/rows.ts";
import { startService } from "../test-support/service.ts";

/** What the log and the metrics learn of a request: enough to find it and to count, nothing to use. */

it("writes exactly one line per request, whatever becomes of it", async () => {
  const service = await startService();
  const requests: readonly (readonly [string, RequestInit, number])[] = [
    ["/v2/auth/nonces", { method: "POST" }, 200],
    ["/v2/auth/nonces", { method: "GET" }, 405],
    ["/v2/nowhere", { method: "POST" }, 404],
    ["/healthz", {}, 200],
    ["/v2/ebt-lookups", { method: "POST" }, 401],
    ["/v2/ebt-lookups", { method: "OPTIONS", headers: { "Access-Control-Request-Method": "POST" } }, 204],
  ];
  for (const [path, init, status] of requests) {
    const before = service.log.length;
    const answer = await service.fetch(path, init);
    expect(answer.status).toBe(status);
    expect(service.log.slice(before)).toEqual([
      expect.objectContaining({ status, requestId: answer.headers.get("X-Request-Id") }),
    ]);
  }
});

it("names route, time, calls, statements, client and session in a line", async () => {
  const service = await startService();
  const session = await guestSession(service);
  await session.call("ebtLookup", { uniqueDeviceId: "ebt-21-0001" });
  expect(service.log.at(-1)).toEqual({
    at: new Date(service.now()).toISOString(),
    requestId: expect.stringMatching(/^[0-9a-f]{16}$/),
    method: "POST",
    route: "/v2/ebt-lookups",
    status: 200,
    milliseconds: expect.any(Number),
    calls: 1,
    statements: expect.any(Number),
    rowsRead: expect.any(Number),
    rowsWritten: 0,
    client: "client-passenger",
    session: expect.stringMatching(/^[\w-]{16}$/),
  });
  expect(Number(service.log.at(-1)?.statements)).toBeGreaterThan(1);
  expect(Number(service.log.at(-1)?.rowsRead)).toBeGreaterThan(1);
});

it("gives a session one pseudonym that is not its id, and every session its own", async () => {
  const service = await startService();
  const session = await guestSession(service);
  const { id } = await lastSession(service);
  const seen: unknown[] = [];
  for (const caller of [session, session, await guestSession(service)]) {
    await caller.call("ebtLookup", { uniqueDeviceId: "ebt-21-0001" });
    seen.push(service.log.at(-1)?.session);
  }
  expect(seen[1]).toBe(seen[0]);
  expect(seen[2]).not.toBe(seen[0]);
  expect(JSON.stringify(service.log)).not.toContain(id);
});

it("logs code and reason of a refusal, and never the address that was asked for", async () => {
  const service = await startService();
  await service.call("refresh", { refreshToken: "never-issued-token" });
  expect(service.log.at(-1)).toMatchObject({ errorCode: "invalid_refresh_token", reason: "unknown" });
  await (await staffSession(service)).call("journey", {}, {}, "/v2/journeys/some-journey-id");
  expect(service.log.at(-1)).toMatchObject({ route: "/v2/journeys/{journeyId}", status: 404 });
  expect(JSON.stringify(service.log)).not.toContain("some-journey-id");
});

it("names the client and the session of a caller who may not do what they ask", async () => {
  const service = await startService();
  const guest = await guestSession(service);
  await guest.call("ebtLookup", { uniqueDeviceId: "ebt-21-0001" });
  const session = service.log.at(-1)?.session;
  const refused = await guest.call("auditEvents");
  expect(refused.status).toBe(403);
  expect(service.log.at(-1)).toMatchObject({
    status: 403,
    errorCode: "insufficient_scope",
    client: "client-passenger",
    session,
  });
});

it("writes one data point per request, of route, outcome and durations", async () => {
  const points: (AnalyticsEngineDataPoint | undefined)[] = [];
  const metrics = { writeDataPoint: (point?: AnalyticsEngineDataPoint) => void points.push(point) };
  const service = await startService({}, undefined, { metrics });
  await service.call("nonce");
  await service.call("ebtLookup", { uniqueDeviceId: "ebt-21-0001" });
  const durations = (calls: number) => [
    expect.any(Number),
    calls,
    calls,
    expect.any(Number),
    expect.any(Number),
    0,
    0,
  ];
  expect(points).toEqual([
    {
      indexes: ["/v2/auth/nonces"],
      blobs: ["/v2/auth/nonces", "POST", "200", "", ""],
      doubles: durations(0),
    },
    {
      indexes: ["/v2/ebt-lookups"],
      blobs: ["/v2/ebt-lookups", "POST", "401", "unauthorized_token", ""],
      doubles: durations(1),
    },
  ]);
});
