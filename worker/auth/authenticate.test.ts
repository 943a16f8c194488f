import { eq } from "drizzle-orm";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type EndpointName, endpoints, HEADER } from "../../core/api/index.ts";
import { clients, sessions } from "../../db/schema.ts";
import { attestationObject, dpopProof, newAppInstance } from "../test-support/app-instance.ts";
import { guestSession, newNonce, staffSession, type TestSession } from "../test-support/logins.ts";
import { changeRow, lastSession } from "../test-support/rows.ts";
import {
  expectError,
  PARTNER_KEY,
  PASSENGER_KEY,
  startService,
  type TestService,
} from "../test-support/service.ts";

let service: TestService;
let session: TestSession;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  session = await guestSession(service);
});

/** Changes one client for the rest of the test. */
async function changeClient(id: string, change: Partial<typeof clients.$inferInsert>): Promise<void> {
  const [before] = await service.db.select().from(clients).where(eq(clients.id, id));
  if (before === undefined) throw new Error(`no client ${id}`);
  onTestFinished(async () => void (await changeRow(service.db, clients, id, before)));
  await changeRow(service.db, clients, id, change);
}

/** check-order.test.ts has the codes of every endpoint. */
describe("the challenge", () => {
  it("asks for an access token where there is none", async () => {
    const answer = await service.call("ebtUnlock", {});
    expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="taglatch"');
  });

  it("names the scope that the client key has lost", async () => {
    await changeClient("client-passenger", { scopes: [] });
    const answer = await session.call("ebtUnlock", {});
    expect(answer.body.errors).toEqual(["tag:unlock is required"]);
    expect(answer.headers.get("WWW-Authenticate")).toBe(
      'Bearer error="insufficient_scope", scope="tag:unlock"',
    );
  });
});

describe("a client that is turned away", () => {
  const certificate = (headers: Record<string, string>) =>
    service.post(endpoints.deviceClientCertificate.path, undefined, headers);

  it.each<[string, Record<string, string>]>([
    ["no key", {}],
    ["no key", { [HEADER.clientKey]: " " }],
    ["unknown key", { [HEADER.clientKey]: "demo-passenger-key2" }],
    ["another client's session", { [HEADER.clientKey]: PARTNER_KEY }],
  ])("finds the reason in the operator's log alone: %s, %j", async (reason, headers) => {
    const answer = await certificate({ Authorization: `Bearer ${session.accessToken}`, ...headers });
    expectError(answer, "unauthorized_client");
    expect(answer.body.errors).toEqual([]);
    expect(service.log.at(-1)).toMatchObject({ reason });
  });

  it("gets that error first, and none about its token", async () => {
    await changeClient("client-passenger", { enabled: false });
    for (const token of [session.accessToken, "nonsense"])
      expectError(
        await certificate({ Authorization: `Bearer ${token}`, [HEADER.clientKey]: PASSENGER_KEY }),
        "unauthorized_client",
      );
    expect(service.log.at(-1)).toMatchObject({ reason: "disabled" });
  });
});

it("an access token that has ended is said to be invalid", async () => {
  service.advance(601);
  const answer = await session.call("ebtLookup", {});
  expectError(answer, "unauthorized_token");
  expect(answer.headers.get("WWW-Authenticate")).toContain('error="invalid_token"');
});

it("the log line names the client whose key was sent, and none where no key was sent", async () => {
  const { path } = endpoints.refresh;
  const named = async (headers: Record<string, string>) => {
    session = await guestSession(service);
    expect(service.log.at(-1)).toMatchObject({ client: "client-passenger" });
    await service.post(path, { refreshToken: session.refreshToken }, headers);
    return service.log.at(-1)?.client;
  };
  expect(await named({ [HEADER.clientKey]: PASSENGER_KEY })).toBe("client-passenger");
  expect(await named({})).toBeUndefined();
  await session.call("deviceClientCertificate");
  expect(service.log.at(-1)).toMatchObject({ client: "client-passenger" });
  await service.post(endpoints.guestSession.path, {});
  expect(service.log.at(-1)).not.toHaveProperty("client");
});

describe("client keys of sessions", () => {
  async function keylessGuest(): Promise<string> {
    const nonce = await newNonce(service);
    const statement = await attestationObject(await newAppInstance(), { nonce, now: service.now() });
    const path = endpoints.guestSession.path;
    return (await service.post(path, { nonce, attestationObject: statement })).body.accessToken;
  }
  const guests = { loginMethods: ["guest"] } as const;
  const certificate = (accessToken: string, key: string) =>
    service.call("deviceClientCertificate", undefined, {
      Authorization: `Bearer ${accessToken}`,
      [HEADER.clientKey]: key,
    });

  it("are set by the first keyed call of a session opened without one", async () => {
    const token = await keylessGuest();
    expect((await certificate(token, PASSENGER_KEY)).status).toBe(200);
    const row = await lastSession(service);
    expect(row).toMatchObject({ clientBound: true, clientId: "client-passenger" });
  });

  it("are set for the session that calls, and for no other that waits for one", async () => {
    const [first, second] = [await keylessGuest(), await keylessGuest()];
    await certificate(first, PASSENGER_KEY);
    await changeClient("client-partner", { ...guests, evidenceKinds: ["none"] });
    expect((await certificate(second, PARTNER_KEY)).status).toBe(200);
    const row = await lastSession(service);
    expect(row).toMatchObject({ clientBound: true, clientId: "client-partner" });
  });

  it.each([
    ["may not use the session's login method", "login method", {}],
    ["is disabled", "disabled", { ...guests, enabled: false }],
    ["does not take the session's evidence", "evidence", { ...guests, evidenceKinds: ["webauthn"] }],
    ["demands DPoP", "no DPoP", { ...guests, evidenceKinds: ["none"], flags: { requireDpop: true } }],
  ] as const)("are not set by a client that %s", async (_, reason, partner) => {
    const token = await keylessGuest();
    if (Object.keys(partner).length > 0) await changeClient("client-partner", partner);
    expectError(await certificate(token, PARTNER_KEY), "unauthorized_client");
    expect(service.log.at(-1)).toMatchObject({ reason });
    expect((await certificate(token, PASSENGER_KEY)).status).toBe(200);
  });

  it("may be those of a client that demands DPoP where the session is bound", async () => {
    const app = await newAppInstance();
    const proofFor = (name: EndpointName, accessToken?: string) =>
      dpopProof(app, {
        ...{ path: endpoints[name].path, now: service.now() },
        ...(accessToken ? { accessToken } : {}),
      });
    const nonce = await newNonce(service);
    const body = { nonce, attestationObject: await attestationObject(app, { nonce, now: service.now() }) };
    const { accessToken } = (
      await service.post(endpoints.guestSession.path, body, { DPoP: await proofFor("guestSession") })
    ).body;
    await changeClient("client-partner", {
      ...guests,
      evidenceKinds: ["none"],
      flags: { requireDpop: true },
    });
    const answer = await service.call("deviceClientCertificate", undefined, {
      [HEADER.clientKey]: PARTNER_KEY,
      Authorization: `Bearer ${accessToken}`,
      DPoP: await proofFor("deviceClientCertificate", accessToken),
    });
    expect(answer.status).toBe(200);
  });

  it("stop staff acting for an airline that the client has lost since their login", async () => {
    const staff = await staffSession(service);
    const look = () => staff.call("journey", {}, {}, "/v2/journeys/demo-journey-1");
    expect((await look()).status).toBe(200);
    await changeClient("client-kiosk", { airlines: ["LH"] });
    expectError(await look(), "journey_not_found");
  });

  it("are not set for a session that has ended", async () => {
    const token = await keylessGuest();
    await service.db.update(sessions).set({ revokedAt: service.now() });
    expectError(await certificate(token, PASSENGER_KEY), "unauthorized_token");
    const row = await lastSession(service);
    expect(row).toMatchObject({ clientBound: false });
  });
});

describe("access tokens", () => {
  it("are over with their session, though they would last longer", async () => {
    await service.db.update(sessions).set({ expiresAt: service.now() + 60_000 });
    service.advance(59);
    expect((await session.call("deviceClientCertificate")).status).toBe(200);
    service.advance(1);
    expectError(await session.call("deviceClientCertificate"), "unauthorized_token");
  });

  it("carry exactly the claims of the contract", async () => {
    expect(decodeProtectedHeader(session.accessToken)).toEqual({
      alg: "ES256",
      typ: "at+jwt",
      kid: service.settings.accessTokenKeys.signing.kid,
    });
    expect(decodeJwt(session.accessToken)).toEqual({
      iss: "taglatch",
      aud: "taglatch",
      sub: expect.stringMatching(/^[\w-]{43}$/),
      iat: Math.floor(service.now() / 1_000),
      exp: Math.floor(service.now() / 1_000) + 600,
      jti: expect.any(String),
      client_id: "client-passenger",
      scope: "tag:read tag:write tag:unlock journey:read journey:bag",
      auth_method: "guest",
    });
  });

  it("are published without their private halves", async () => {
    const { text } = await service.fetch("/.well-known/jwks.json");
    expect(JSON.parse(text)).toEqual({ keys: service.settings.accessTokenKeys.published });
    expect(text).not.toContain('"d"');
  });

  it("give staff the scopes of staff, and passengers none of them", async () => {
    const staff = await staffSession(service);
    expect(decodeJwt(staff.accessToken).scope).toContain("tag:release audit:read bag:trace");
  });
});
