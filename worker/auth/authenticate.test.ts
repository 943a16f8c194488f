import { eq } from "drizzle-orm";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type EndpointName, endpoints, HEADER } from "../../core/api/index.ts";
import {
  clients,
  deviceTicketLocks,
  guessCounters,
  loadedPlans,
  sessions,
  usedOnce,
} from "../../db/schema.ts";
import { attestationObject, dpopProof, newAppInstance } from "../test-support/app-instance.ts";
import { RIGHT } from "../test-support/locked-tag.ts";
import {
  ADA,
  guestSession,
  newNonce,
  sessionOf,
  staffSession,
  type TestSession,
} from "../test-support/logins.ts";
import { changeRow, lastSession } from "../test-support/rows.ts";
import {
  expectError,
  PARTNER_KEY,
  PASSENGER_KEY,
  startClean,
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

/** Each request reads its client and session, and a DPoP proof is used once. */

const TAG = "ebt-21-0001";
const ATTACHMENT = { device: { uniqueID: TAG }, baggageId: 1 };

const startWithProofs = async () => {
  service = await startClean();
  session = await guestSession(service, { dpop: true });
  expect((await session.call("ebtLookup", { uniqueDeviceId: TAG })).status).toBe(200);
};

describe("a caller whose rows have changed since their last request", () => {
  beforeEach(startWithProofs);
  const setClient = (fields: Partial<typeof clients.$inferInsert>) =>
    changeClient("client-passenger", fields);
  const setSession = async (fields: Partial<typeof sessions.$inferInsert>) =>
    changeRow(service.db, sessions, (await lastSession(service)).id, fields);

  it.each<[string, () => Promise<unknown>, string]>([
    ["the session is revoked", () => setSession({ revokedAt: service.now() }), "unauthorized_token"],
    ["the session is over", () => setSession({ expiresAt: service.now() }), "unauthorized_token"],
    ["the session is gone", () => service.db.delete(sessions), "unauthorized_token"],
    ["the session is another person's", () => setSession({ sub: "another" }), "unauthorized_token"],
    ["the session is bound to another key", () => setSession({ dpopJkt: "another" }), "unauthorized_token"],
    ["the session's key has no hash", () => setSession({ keySpkiHash: null }), "unauthorized_token"],
    [
      "the session is another client's",
      () => setSession({ clientId: "client-kiosk" }),
      "unauthorized_client",
    ],
    ["the client is disabled", () => setClient({ enabled: false }), "unauthorized_client"],
    ["the client's key is another", () => setClient({ keyHash: "another" }), "unauthorized_client"],
    [
      "the client has lost the login method",
      () => setClient({ loginMethods: ["b2b"] }),
      "unauthorized_client",
    ],
    ["the client has lost the scope", () => setClient({ scopes: ["tag:read"] }), "insufficient_scope"],
  ])("is refused because %s", async (_, happens, code) => {
    const before = await service.db.$count(usedOnce);
    await happens();
    expectError(await session.call("deviceAttachment", ATTACHMENT), code as never);
    expect(await service.db.$count(deviceTicketLocks)).toBe(0);
    expect(await service.db.$count(usedOnce)).toBeLessThanOrEqual(before + 1);
  });
});

describe("a proof sent again", () => {
  beforeEach(startWithProofs);
  const proofFor = (path: string) =>
    dpopProof(session.app, { path, now: service.now(), accessToken: session.accessToken });

  it.each([
    ["ebtAuthorization", { uniqueDeviceId: TAG, nonce: "AAAAAAAAAAAAAAAAAAAAAA" }],
    ["deviceAttachment", ATTACHMENT],
    ["ebtCustodyProof", { uniqueDeviceId: TAG, ...ADA }],
    ["ebtUnlock", { uniqueDeviceId: TAG }],
    ["deviceLoss", { uniqueDeviceId: TAG, lost: false }],
    ["logout", {}],
  ] as const)("does nothing at %s, whatever the body is now", async (name, body) => {
    const { path } = endpoints[name];
    const DPoP = await proofFor(path);
    await session.call(name, body, { DPoP });
    const code = name === "logout" ? "unauthorized_token" : "invalid_dpop_proof";
    expectError(await session.call(name, { ...body, extra: 1 }, { DPoP }), code);
    const later = sessionOf(await startService(), { ...session, dpop: true });
    expectError(await later.call(name, body, { DPoP }), code);
  });

  it("may read a booking again that it has loaded", async () => {
    const DPoP = await proofFor(endpoints.journeyFromRecordLocator.path);
    for (let i = 0; i < 3; i++) {
      expect((await session.call("journeyFromRecordLocator", ADA, { DPoP })).status).toBe(200);
    }
  });

  it.each([
    ["loads no other booking", RIGHT],
    ["guesses at none", { recordLocator: "ZZZ999", surname: "Marple" }],
  ])("%s: right and wrong are refused alike, and nothing is counted", async (_, booking) => {
    const DPoP = await proofFor(endpoints.journeyFromRecordLocator.path);
    await session.call("journeyFromRecordLocator", ADA, { DPoP });
    const counted = await service.db.select().from(guessCounters);
    expectError(await session.call("journeyFromRecordLocator", booking, { DPoP }), "invalid_dpop_proof");
    expect(await service.db.$count(loadedPlans)).toBe(1);
    expect(await service.db.select().from(guessCounters)).toEqual(counted);
  });

  it("guesses once where its first guess was wrong", async () => {
    const DPoP = await proofFor(endpoints.journeyFromRecordLocator.path);
    const wrong = { ...ADA, surname: "Lovelard" };
    expectError(await session.call("journeyFromRecordLocator", wrong, { DPoP }), "journey_not_found");
    expectError(await session.call("journeyFromRecordLocator", ADA, { DPoP }), "invalid_dpop_proof");
    expect(await service.db.$count(loadedPlans)).toBe(0);
  });
});
