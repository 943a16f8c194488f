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
});

const kiosk = { "X-Source-App-Key": "demo-kiosk-key" };
const CALLERS = {
  guest: { key: passenger, login: () => attested("/v2/auth/guest/sessions", false) },
  identified: { key: passenger, login: () => attested("/v2/auth/attestation/sessions", true) },
  federated: {
    key: passenger,
    login: async () =>
      service.post("/v2/auth/federated/sessions", { token: await hostToken(service.now()) }, passenger),
  },
  b2b: {
    key: kiosk,
    login: () =>
      service.post(
        "/v2/auth/b2b-secret/sessions",
        { username: "kiosk-osl-1", password: "correct horse battery staple" },
        { ...kiosk, "X-B2B-Secret": "demo-b2b-secret" },
      ),
  },
};
type Caller = keyof typeof CALLERS;

/** Posts as a caller of this kind, with the two headers of the interface. */
async function callsOf(caller: Caller) {
  const { key, login } = CALLERS[caller];
  const { accessToken } = (await login()).body;
  const headers = { ...key, Authorization: `Bearer ${accessToken}` };
  return (path: string, body?: object) => service.post(path, body, headers);
}

describe.each(Object.keys(CALLERS) as Caller[])("such a client, as %s", (caller) => {
  const uniqueDeviceId = `tag of ${caller}`;
  const UNLOCKED = { locked: false, sameTravelPlan: false, requiresCustodyProof: false };
  let post: Awaited<ReturnType<typeof callsOf>>;
  let stranger: typeof post;
  beforeAll(async () => {
    post = await callsOf(caller);
    stranger = await callsOf("guest");
  });

  it("7: obtains a client certificate", async () => {
    const answer = await post("/v2/auth/device-client-certificates");
    expect(answer.body).toEqual({ certificateChain: expect.stringMatching(/^[A-Za-z0-9+/]+={0,2}$/) });
  });

  it("8: obtains a transaction token", async () => {
    const answer = await post("/v2/ebt-authorizations", { uniqueDeviceId, nonce: "any text will do" });
    expect(answer.body).toEqual({ transactionToken: expect.stringMatching(/^[A-Za-z0-9_-]+$/) });
  });

  const attach = (name: "uniqueID" | "mac" | "guid") =>
    post("/v2/device-attachments", { device: { [name]: `${uniqueDeviceId} ${name}` }, baggageId: 1 });

  it.each(["uniqueID", "mac", "guid"] as const)(
    "9: attaches a bag to a tag by its %s alone",
    async (name) => {
      expect((await attach(name)).body).toMatchObject({
        uniqueDeviceId: `${uniqueDeviceId} ${name}`,
        baggageId: 1,
        journeyId: "demo-journey-1",
        locked: true,
        lockedAt: expect.any(String),
      });
    },
  );

  it("10: looks a tag up, unlocked, its own, and another holder's", async () => {
    await attach("mac");
    const own = { uniqueDeviceId: `${uniqueDeviceId} mac` };
    expect((await post("/v2/ebt-lookups", { uniqueDeviceId })).body).toEqual(UNLOCKED);
    expect((await post("/v2/ebt-lookups", own)).body).toEqual({
      locked: true,
      sameTravelPlan: true,
      requiresCustodyProof: false,
    });
    const hint = expect.stringMatching(/^.?•{5}$/);
    expect((await stranger("/v2/ebt-lookups", own)).body).toMatchObject({
      locked: true,
      sameTravelPlan: false,
      requiresCustodyProof: true,
      hints: { maskedRecordLocator: hint, maskedSurname: hint },
    });
  });

  it("keeps strangers from its tag at 8, 9 and 12", async () => {
    await attach("mac");
    const own = { uniqueDeviceId: `${uniqueDeviceId} mac` };
    const device = { mac: own.uniqueDeviceId };
    const answers = [
      await stranger("/v2/ebt-authorizations", { ...own, nonce: "n" }),
      await stranger("/v2/device-attachments", { device, baggageId: 3 }),
      await stranger("/v2/ebt-unlocks", own),
    ];
    expect(answers.map(({ body }) => body.errorCode)).toEqual([
      "custody_proof_required",
      "device_locked",
      "not_lock_holder",
    ]);
  });

  it("11: unlocks it for a caller who proves custody", async () => {
    await attach("guid");
    const named = { uniqueDeviceId: `${uniqueDeviceId} guid` };
    const proof = { ...named, recordLocator: "ABC123", surname: "LOVELACE" };
    expect((await stranger("/v2/ebt-custody-proofs", proof)).body).toEqual({ ...named, locked: false });
  });

  it("12: unlocks its tag, and gets the name of a missing field", async () => {
    await attach("uniqueID");
    const named = { uniqueDeviceId: `${uniqueDeviceId} uniqueID` };
    expect((await post("/v2/ebt-unlocks", named)).body).toEqual({ ...named, locked: false });
    const { status, body } = await post("/v2/ebt-unlocks", {});
    expect([status, body.errorCode]).toEqual([400, "required_info_not_provided"]);
    expect([body.message, body.errors]).toEqual([
      expect.stringContaining("uniqueDeviceId"),
      [expect.stringContaining("uniqueDeviceId")],
    ]);
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
