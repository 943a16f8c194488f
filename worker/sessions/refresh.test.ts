import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { endpoints, HEADER } from "../../core/api/index.ts";
import { toBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import { auditLog, clients, sessions } from "../../db/schema.ts";
import { dpopProof, newAppInstance } from "../test-support/app-instance.ts";
import { interruption } from "../test-support/guarded-database.ts";
import { guestSession, staffSession, type TestSession } from "../test-support/logins.ts";
import { changeRow, lastAudit, lastSession } from "../test-support/rows.ts";
import {
  expectError,
  PARTNER_KEY,
  PASSENGER_KEY,
  startService,
  type TestService,
} from "../test-support/service.ts";

const { path } = endpoints.refresh;

/** Session, kind and number, secret, HMAC. */
const REFRESH_TOKEN = /^[0-9a-f]{8}[\w-]{16}\.[PS]\d+\.[\w-]{43}\.[\w-]{22}$/;

let service: TestService;
let session: TestSession;
beforeEach(async () => {
  service = await startService();
  session = await guestSession(service);
});

const refresh = (refreshToken: string, headers: Record<string, string> = {}) =>
  service.post(path, { refreshToken }, headers);
const newest = async (token: string) => (await refresh(token)).body.refreshToken as string;

describe("a refresh token", () => {
  it("returns a new access token and its own successor", async () => {
    service.advance(60);
    const answer = await refresh(session.refreshToken);
    expect(answer.body).toEqual({
      accessToken: expect.any(String),
      tokenType: "Bearer",
      expiresIn: 600,
      refreshToken: expect.stringMatching(REFRESH_TOKEN),
      refreshExpiresIn: 86_400,
    });
    expect(answer.body.refreshToken).not.toBe(session.refreshToken);
    const call = { Authorization: `Bearer ${answer.body.accessToken}` };
    expect((await service.call("deviceClientCertificate", undefined, call)).status).toBe(200);
  });

  it("returns the same successor again for ten seconds, and no longer however often it is requested", async () => {
    const first = await newest(session.refreshToken);
    for (const seconds of [9, 1]) {
      service.advance(seconds);
      expect(await newest(session.refreshToken)).toBe(first);
    }
    service.advance(0.001);
    expectError(await refresh(session.refreshToken), "invalid_refresh_token");
  });

  it("has a successor that every instance of the service computes alike", async () => {
    const { id } = await lastSession(service);
    const mac = async (text: string) => {
      const bytes = await crypto.subtle.sign("HMAC", service.settings.refreshKey, utf8(text));
      return new Uint8Array(bytes);
    };
    const secret = toBase64Url(await mac(JSON.stringify([id, 1, session.refreshToken])));
    const content = `${id}.P1.${secret}`;
    const tag = toBase64Url((await mac(content)).slice(0, 16));
    expect(await newest(session.refreshToken)).toBe(`${content}.${tag}`);
  });

  it("ends its family once, however many bring it back at the same time", async () => {
    const successor = await newest(session.refreshToken);
    service.advance(11);
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(session.refreshToken)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expectError(await refresh(successor), "invalid_refresh_token");
    const { sub } = await lastSession(service);
    const reused = await service.db.select().from(auditLog).where(eq(auditLog.sub, sub));
    expect(reused.filter(({ event }) => event === "refresh_token_reused")).toMatchObject([
      { reason: "family revoked", clientId: "client-passenger" },
    ]);
    expect(service.log).toContainEqual(expect.objectContaining({ reason: "reused" }));
  });

  it.each<[string, (old: string) => string]>([
    ["with another HMAC", (old) => old.replace(/.{22}$/, "A".repeat(22))],
    ["with text behind it", (old) => `${old}A`],
    ["with text before it", (old) => `A${old}`],
  ])("ends no family when it is sent again %s: it is no token of ours", async (_, forged) => {
    const successor = await newest(await newest(session.refreshToken));
    expectError(await refresh(forged(session.refreshToken)), "invalid_refresh_token");
    expect((await refresh(successor)).status).toBe(200);
  });

  it("never outlives thirty days, however often it is used", async () => {
    let token = session.refreshToken;
    for (let day = 0; day < 30; day++) {
      service.advance(86_399);
      token = await newest(token);
    }
    service.advance(31);
    expectError(await refresh(token), "invalid_refresh_token");
  });

  it("has its lifetime in the answer, also in its last hours", async () => {
    await service.db.update(sessions).set({ expiresAt: service.now() + 60_999 });
    expect((await refresh(session.refreshToken)).body.refreshExpiresIn).toBe(60);
  });

  it("is stored as a hash only", async () => {
    const rows = JSON.stringify(await service.db.select().from(sessions));
    expect(rows).not.toContain(session.refreshToken);
  });
});

it("a refresh token that the key of the HMAC alone makes opens nothing, and leaves the family as it is", async () => {
  const { id } = await lastSession(service);
  const content = `${id}.P0.${"A".repeat(43)}`;
  const mac = await crypto.subtle.sign("HMAC", service.settings.refreshKey, utf8(content));
  const tag = toBase64Url(new Uint8Array(mac).slice(0, 16));
  expectError(await refresh(`${content}.${tag}`), "invalid_refresh_token");
  expect(await lastAudit(service)).toMatchObject({ reason: "not the live one" });
  expect((await refresh(session.refreshToken)).status).toBe(200);
});

describe("a refresh that was held up", () => {
  /** Refreshes `session`, and runs `change` between the read of its family and the write. */
  async function refreshWhile(change: () => Promise<unknown>) {
    const { database, beforeCall } = interruption();
    service = await startService({}, undefined, { database });
    beforeCall(2, change);
    return refresh(session.refreshToken);
  }

  it("returns the successor that a concurrent refresh issued", async () => {
    let other = "";
    const answer = await refreshWhile(async () => {
      other = await newest(session.refreshToken);
    });
    expect(answer.body.refreshToken).toBe(other);
    expect((await lastSession(service)).refreshCounter).toBe(1);
  });

  it("is refused where two concurrent refreshes moved the family on", async () => {
    let latest = "";
    const answer = await refreshWhile(async () => {
      latest = await newest(await newest(session.refreshToken));
    });
    expectError(answer, "invalid_refresh_token");
    expect(await lastAudit(service)).toMatchObject({ event: "invalid_refresh_token", reason: "overtaken" });
    expect((await refresh(latest)).status).toBe(200);
  });

  it("is refused where the session was swept at the same time", async () => {
    expectError(await refreshWhile(() => service.db.delete(sessions)), "invalid_refresh_token");
    expect(await lastAudit(service)).toMatchObject({ reason: "unknown" });
  });

  it("is refused where the session ended at the same time", async () => {
    expectError(await refreshWhile(() => session.call("logout")), "invalid_refresh_token");
    expect((await lastSession(service)).refreshCounter).toBe(0);
  });

  it("is refused where the session ended at the same time, although another had just issued the successor", async () => {
    const answer = await refreshWhile(async () => {
      await newest(session.refreshToken);
      await session.call("logout");
    });
    expectError(answer, "invalid_refresh_token");
    expect(await lastAudit(service)).toMatchObject({ reason: "revoked" });
  });
});

describe("why a refresh was refused", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["revoked", () => session.call("logout")],
    ["expired", async () => service.advance(86_400)],
    ["expired", () => service.db.update(sessions).set({ expiresAt: service.now() })],
    ["unknown", () => service.db.delete(sessions)],
  ])("is in the audit log, here %s", async (reason, happens) => {
    await happens();
    const answer = await refresh(session.refreshToken);
    expectError(answer, "invalid_refresh_token");
    const requestId = answer.headers.get("X-Request-Id");
    expect(await lastAudit(service)).toMatchObject({ event: "invalid_refresh_token", reason, requestId });
  });

  it.each<[string, (own: string) => Promise<Record<string, string>>]>([
    ["absent", async () => ({})],
    [
      "another key",
      async () => ({ DPoP: await dpopProof(await newAppInstance(), { path, now: service.now() }) }),
    ],
    ["replayed", async (own) => ({ DPoP: own })],
  ])("is in the audit log where the proof was, here %s", async (reason, headers) => {
    session = await guestSession(service, { dpop: true });
    const own = await dpopProof(session.app, { path, now: service.now() });
    const { body } = await refresh(session.refreshToken, { DPoP: own });
    expectError(await refresh(body.refreshToken, await headers(own)), "invalid_dpop_proof");
    expect(await lastAudit(service)).toMatchObject({ event: "invalid_dpop_proof", reason });
  });
});

describe("a refused refresh", () => {
  const written = () => service.log.at(-1)?.rowsWritten;

  it("by a token that is none of ours writes nothing, from however many networks", async () => {
    await service.db.delete(auditLog);
    for (let host = 0; host < 5; host++) {
      const headers = { "CF-Connecting-IP": `192.0.${host}.1`, [HEADER.clientKey]: PASSENGER_KEY };
      expect((await refresh(`${session.refreshToken}A`, headers)).status).toBe(401);
      expect([host, written()]).toEqual([host, 0]);
    }
    expect(await service.db.select().from(auditLog)).toEqual([]);
  });

  it("by a token of ours shares one row of the audit log, and writes that alone", async () => {
    await session.call("logout");
    await service.db.delete(auditLog);
    for (let i = 0; i < 5; i++) await refresh(session.refreshToken);
    expect(written()).toBe(1);
    expect(await service.db.select().from(auditLog)).toMatchObject([{ reason: "revoked", count: 5 }]);
  });
});

describe("the client key of a refresh", () => {
  it("must be the session's current one, whatever an isolate has cached", async () => {
    await service.db.update(sessions).set({ clientId: "client-kiosk" });
    const headers = { [HEADER.clientKey]: PASSENGER_KEY };
    expectError(await refresh(session.refreshToken, headers), "unauthorized_client");
    expect(await lastSession(service)).toMatchObject({ clientId: "client-kiosk", refreshCounter: 0 });
  });

  it("binds a session that was opened without one to that client, whichever it is", async () => {
    const open = { loginMethods: ["guest"], evidenceKinds: ["none"] } as const;
    await changeRow(service.db, clients, "client-partner", open);
    await service.db.update(sessions).set({ clientBound: false });
    await refresh(session.refreshToken, { [HEADER.clientKey]: PARTNER_KEY });
    expect(await lastSession(service)).toMatchObject({ clientBound: true, clientId: "client-partner" });
  });

  it("must be enabled even when it is not sent", async () => {
    await changeRow(service.db, clients, "client-passenger", { enabled: false });
    expectError(await refresh(session.refreshToken), "unauthorized_client");
  });
});

describe("the first fault of a refresh decides", () => {
  const KEY = HEADER.clientKey;
  const stranger = async () => dpopProof(await newAppInstance(), { path, now: service.now() });
  beforeEach(async () => {
    session = await guestSession(service, { dpop: true });
  });

  it.each<[string, () => Promise<object>, Record<string, string>]>([
    ["unauthorized_client", () => session.call("logout"), { [KEY]: PARTNER_KEY }],
    ["invalid_refresh_token", () => session.call("logout"), { [KEY]: PASSENGER_KEY }],
    ["invalid_refresh_token", () => service.db.delete(sessions), { [KEY]: PARTNER_KEY }],
    ["unauthorized_client", async () => ({}), { [KEY]: PARTNER_KEY }],
  ])("%s, before the proof of another", async (code, happens, headers) => {
    await happens();
    const { body } = await refresh(session.refreshToken, { ...headers, DPoP: await stranger() });
    expect(body.errorCode).toBe(code);
  });

  it("a token that was used before its proof was: the family ends, and a used proof alone moves none on", async () => {
    const DPoP = await dpopProof(session.app, { path, now: service.now() });
    const { body } = await refresh(session.refreshToken, { DPoP });
    expectError(await refresh(body.refreshToken, { DPoP }), "invalid_dpop_proof");
    expect(await lastSession(service)).toMatchObject({ refreshCounter: 1, revokedAt: null });
    service.advance(11);
    expectError(await refresh(session.refreshToken, { DPoP }), "invalid_refresh_token");
    expect((await lastSession(service)).revokedAt).toBe(service.now());
  });
});

it("a logout ends access and refresh of the session, and of no other", async () => {
  const other = await guestSession(service);
  expect((await session.call("logout")).body).toEqual({ loggedOut: true });
  expectError(await session.call("ebtLookup", {}), "unauthorized_token");
  expectError(await refresh(session.refreshToken), "invalid_refresh_token");
  expect((await other.call("deviceClientCertificate")).status).toBe(200);
});

it("a logout clears all of a passenger's browser data, and only the cache of a kiosk", async () => {
  const passenger = await session.call("logout");
  const kiosk = await (await staffSession(service)).call("logout");
  expect(passenger.headers.get("Clear-Site-Data")).toBe('"cache", "storage"');
  expect(kiosk.headers.get("Clear-Site-Data")).toBe('"cache"');
});

it("a reused refresh token ends its family before the answer: where that fails, the answer is an error", async () => {
  await newest(await newest(session.refreshToken));
  const { database, beforeCall } = interruption();
  service = await startService({}, undefined, { database });
  // The family, and the token that does not move it on; then the family ends.
  beforeCall(3, () => Promise.reject(new Error("D1_ERROR: Network connection lost.")));
  expectError(await refresh(session.refreshToken), "service_unavailable");
  expect((await lastSession(service)).revokedAt).toBeNull();
});
