import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { importJWK, SignJWT } from "jose";
import { attestationObject, Caller, post } from "./support/caller.ts";
import { expect, test } from "./support/test.ts";

// The twelve endpoints with plain fetch: the headers and fields the API lists, nothing else.

const PASSENGER = { "X-Source-App-Key": "demo-passenger-key" };
const login = {
  status: 200,
  body: { accessToken: expect.any(String), tokenType: "Bearer", expiresIn: expect.any(Number) },
};

/** A nonce and the login made with it; a share of nonces is refused on purpose, so it may take a few. */
async function attestedLogin(service: string, path: string) {
  for (let attempt = 1; ; attempt += 1) {
    const { status, body } = await post(service, "/v2/auth/nonces");
    expect(status).toBe(200);
    const nonce = String(body.nonce);
    const answer = await post(service, path, { nonce, attestationObject: await attestationObject(nonce) });
    if (answer.body.errorCode !== "invalid_nonce" || attempt === 5) return answer;
  }
}

test("a host's token opens a federated session", async ({ service }) => {
  const key = JSON.parse(readFileSync("db/demo/host-airline.jwk.json", "utf8"));
  const token = await new SignJWT({ sub: "traveller-1" })
    .setProtectedHeader({ alg: "ES256", kid: key.kid })
    .setIssuer("https://host-airline.example")
    .setAudience("taglatch")
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign(await importJWK(key, "ES256"));
  expect(await post(service, "/v2/auth/federated/sessions", { token }, PASSENGER)).toMatchObject(login);
});

test("a nonce and an attestation open a guest session", async ({ service }) => {
  expect(await attestedLogin(service, "/v2/auth/guest/sessions")).toMatchObject(login);
});

test("an identified login wants more than possession of a key", async ({ service }) => {
  const answer = await attestedLogin(service, "/v2/auth/attestation/sessions");
  expect(answer).toMatchObject({ status: 401, body: { errorCode: "invalid_attestation" } });
});

test("a B2B secret opens a staff session and its refresh token the next", async ({ service }) => {
  const account = { username: "kiosk-osl-1", password: "correct horse battery staple" };
  const headers = { "X-Source-App-Key": "demo-kiosk-key", "X-B2B-Secret": "demo-b2b-secret" };
  const first = await post(service, "/v2/auth/b2b-secret/sessions", account, headers);
  expect(first).toMatchObject(login);
  const { refreshToken } = first.body;
  expect(await post(service, "/v2/auth/refresh", { refreshToken })).toMatchObject(login);
});

test("a tag is looked up, authorised, attached and unlocked by its holder", async ({ service }) => {
  const guest = await Caller.guest(service);
  const uniqueDeviceId = randomUUID();
  const certificate = await guest.post("/v2/auth/device-client-certificates");
  expect(certificate).toMatchObject({ status: 200, body: { certificateChain: expect.any(String) } });

  const free = { status: 200, body: { locked: false, sameTravelPlan: false, requiresCustodyProof: false } };
  expect(await guest.post("/v2/ebt-lookups", { uniqueDeviceId })).toEqual(free);
  const nonce = "AAAAAAAAAAAAAAAAAAAAAA";
  const token = await guest.post("/v2/ebt-authorizations", { uniqueDeviceId, nonce });
  expect(token).toEqual({ status: 200, body: { transactionToken: expect.any(String) } });

  const attached = await guest.post("/v2/device-attachments", {
    device: { uniqueID: uniqueDeviceId },
    baggageId: 1,
  });
  expect(attached).toMatchObject({ status: 200, body: { uniqueDeviceId, baggageId: 1, locked: true } });
  const own = { status: 200, body: { locked: true, sameTravelPlan: true, requiresCustodyProof: false } };
  expect(await guest.post("/v2/ebt-lookups", { uniqueDeviceId })).toEqual(own);
  const unlocked = await guest.post("/v2/ebt-unlocks", { uniqueDeviceId });
  expect(unlocked).toEqual({ status: 200, body: { uniqueDeviceId, locked: false } });
});

test("a stranger unlocks with locator and surname, and not without", async ({ service, stranger }) => {
  const uniqueDeviceId = randomUUID();
  await (await Caller.guest(service)).attach(uniqueDeviceId, 1);
  expect(await stranger.post("/v2/ebt-unlocks", { uniqueDeviceId })).toMatchObject({
    status: 403,
    body: { status: "403 FORBIDDEN", statusCode: 403, errorCode: "not_lock_holder" },
  });
  const wrong = { uniqueDeviceId, recordLocator: "ABC123", surname: "BABBAGE" };
  expect((await stranger.post("/v2/ebt-custody-proofs", wrong)).status).toBe(422);
  const right = { ...wrong, surname: "LOVELACE" };
  expect(await stranger.post("/v2/ebt-custody-proofs", right)).toEqual({
    status: 200,
    body: { uniqueDeviceId, locked: false },
  });
});

test("an unlock without a device id names what is missing", async ({ stranger }) => {
  const { status, body } = await stranger.post("/v2/ebt-unlocks", {});
  expect(status).toBe(400);
  expect(body).toMatchObject({
    status: "400 BAD_REQUEST",
    statusCode: 400,
    message: expect.stringContaining("uniqueDeviceId"),
    errorCode: "required_info_not_provided",
    errors: [expect.stringContaining("uniqueDeviceId")],
  });
});

test("a security endpoint without a token answers 401", async ({ service }) => {
  const answer = await post(service, "/v2/ebt-lookups", { uniqueDeviceId: "ebt-21-0001" }, PASSENGER);
  expect(answer).toMatchObject({ status: 401, body: { errorCode: "unauthorized_token" } });
});
