import { SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { attestationObject, demoEvidence, hostToken, newAppInstance } from "../test-support/app-instance.ts";
import { startService, type TestService } from "../test-support/service.ts";

/**
 * A client that knows the interface and nothing of our additions: it sends the listed headers and fields and no others,
 * no Content-Type, no DPoP, no optional client key.
 */

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

const loginResponse = {
  accessToken: expect.any(String),
  tokenType: "Bearer",
  expiresIn: expect.any(Number),
  refreshToken: expect.any(String),
  refreshExpiresIn: expect.any(Number),
};
const passenger = { "X-Source-App-Key": "demo-passenger-key" };

async function attested(path: string, isIdentified: boolean) {
  const { nonce } = (await service.post("/v2/auth/nonces")).body;
  const app = await newAppInstance();
  const identity = isIdentified
    ? { email: "ada@example.org", evidence: await demoEvidence(app, { nonce, email: "ada@example.org" }) }
    : {};
  const statement = await attestationObject(app, { nonce, now: service.now(), ...identity });
  return service.post(path, { nonce, attestationObject: statement });
}

describe("a client that sends exactly what the interface lists", () => {
  it("1: logs in with a host token", async () => {
    const answer = await service.post(
      "/v2/auth/federated/sessions",
      { token: await hostToken(service.now()) },
      passenger,
    );
    expect(answer.body).toEqual(loginResponse);
  });

  it("2: obtains a nonce", async () => {
    expect((await service.post("/v2/auth/nonces")).body).toEqual({
      nonce: expect.any(String),
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      ttlSeconds: 300,
    });
  });

  it("3: logs in as an identified app user", async () => {
    expect((await attested("/v2/auth/attestation/sessions", true)).body).toEqual(loginResponse);
  });

  it("4: logs in as a guest", async () => {
    expect((await attested("/v2/auth/guest/sessions", false)).body).toEqual(loginResponse);
  });

  it("5: logs in as ground staff", async () => {
    const body = { username: "kiosk-osl-1", password: "correct horse battery staple" };
    const headers = { "X-Source-App-Key": "demo-kiosk-key", "X-B2B-Secret": "demo-b2b-secret" };
    expect((await service.post("/v2/auth/b2b-secret/sessions", body, headers)).body).toEqual(loginResponse);
  });

  it("6: refreshes", async () => {
    const { refreshToken } = (await attested("/v2/auth/guest/sessions", false)).body;
    expect((await service.post("/v2/auth/refresh", { refreshToken })).body).toEqual(loginResponse);
  });

  it.each([
    ["guest", () => attested("/v2/auth/guest/sessions", false)],
    ["identified", () => attested("/v2/auth/attestation/sessions", true)],
    [
      "federated",
      async () =>
        service.post("/v2/auth/federated/sessions", { token: await hostToken(service.now()) }, passenger),
    ],
  ])("7: obtains a client certificate after a %s login", async (_, login) => {
    const { accessToken } = (await login()).body;
    const headers = { ...passenger, Authorization: `Bearer ${accessToken}` };
    const answer = await service.post("/v2/auth/device-client-certificates", undefined, headers);
    expect(answer.body).toEqual({ certificateChain: expect.stringMatching(/^[A-Za-z0-9+/]+={0,2}$/) });
  });
});

describe("such a client, once it is logged in", () => {
  const uniqueDeviceId = "ebt-21-0004";
  let post: (path: string, body: unknown) => ReturnType<typeof service.post>;
  beforeAll(async () => {
    const { accessToken } = (await attested("/v2/auth/guest/sessions", false)).body;
    const headers = { ...passenger, Authorization: `Bearer ${accessToken}` };
    post = (path, body) => service.post(path, body, headers);
  });

  it("8: obtains a transaction token", async () => {
    const answer = await post("/v2/ebt-authorizations", { uniqueDeviceId, nonce: "any text will do" });
    expect(answer.body).toEqual({ transactionToken: expect.stringMatching(/^[A-Za-z0-9_-]+$/) });
  });

  it.each(["uniqueID", "mac", "guid"])("9: attaches a bag to a tag by its %s alone", async (name) => {
    const answer = await post("/v2/device-attachments", {
      device: { [name]: `plain ${name}` },
      baggageId: 1,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ uniqueDeviceId: `plain ${name}`, baggageId: 1, locked: true });
  });

  it("10: looks a tag up", async () => {
    const unlocked = { locked: false, sameTravelPlan: false, requiresCustodyProof: false };
    expect((await post("/v2/ebt-lookups", { uniqueDeviceId })).body).toEqual(unlocked);
    expect((await post("/v2/ebt-lookups", { uniqueDeviceId: "plain mac" })).body).toEqual({
      locked: true,
      sameTravelPlan: true,
      requiresCustodyProof: false,
    });
  });

  it("11: proves custody", async () => {
    const proof = { uniqueDeviceId: "plain guid", recordLocator: "ABC123", surname: "LOVELACE" };
    expect((await post("/v2/ebt-custody-proofs", proof)).body).toEqual({
      uniqueDeviceId: "plain guid",
      locked: false,
    });
  });

  it("12: unlocks its tag", async () => {
    const answer = await post("/v2/ebt-unlocks", { uniqueDeviceId: "plain uniqueID" });
    expect(answer.body).toEqual({ uniqueDeviceId: "plain uniqueID", locked: false });
  });
});

it("does not take its own access token for a host's", async () => {
  const claims = { iss: "taglatch", aud: "taglatch", sub: "s", exp: Math.floor(service.now() / 1_000) + 60 };
  const { signing } = service.settings.accessTokenKeys;
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: "ES256", kid: signing.kid })
    .sign(signing.key);
  expect((await service.post("/v2/auth/federated/sessions", { token }, passenger)).status).toBe(401);
});
