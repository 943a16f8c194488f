import { describe, expect, it } from "vitest";
import { endpoints, HEADER } from "../../core/api/index.ts";
import { dpopProof, newAppInstance } from "../test-support/app-instance.ts";
import { federatedSession, guestSession, staffSession } from "../test-support/logins.ts";
import { newPasskey, registration } from "../test-support/passkey.ts";
import { platformLogin } from "../test-support/platform-login.ts";
import {
  expectError,
  PARTNER_KEY,
  STAFF_LOGIN,
  startService,
  type TestService,
  upTo,
} from "../test-support/service.ts";

/** How often a network may fail to log in and how often it may succeed, each for itself (rules §2). */

const RIGHT = { username: "kiosk-osl-1", password: "correct horse battery staple" };
const WRONG = { nonce: "?", attestationObject: "?" };

/** A service in production that lets two logins through for each key, and the keys it has counted. */
async function start() {
  const counter = upTo(2);
  const service = await startService({ ENVIRONMENT: "production", LOGIN_LIMIT: counter });
  return { service, counted: counter.counted };
}

const staff = (service: TestService, headers: Record<string, string> = {}, body: object = RIGHT) =>
  service.call("b2bSession", body, { ...STAFF_LOGIN, ...headers });

describe("staff", () => {
  it.each<[string, Record<string, string>]>([
    ["with a key that is none", { [HEADER.clientKey]: "unknown" }],
    ["with another secret", { [HEADER.b2bSecret]: "wrong" }],
  ])("log in beside a neighbour %s, who is refused too often", async (_, wrong) => {
    const { service } = await start();
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await staff(service, wrong)).status);
    expect(statuses).toEqual([401, 401, 429, 429, 429]);
    expect((await staff(service)).status).toBe(200);
  });

  it("are counted by client and user name alone, whatever their network", async () => {
    const { service } = await start();
    const from = (host: number) => ({ "CF-Connecting-IP": `192.0.${host}.1` });
    expect((await staff(service, from(1))).status).toBe(200);
    expectError(await staff(service, from(2), { ...RIGHT, password: "wrong" }), "invalid_credentials");
    expectError(await staff(service, from(3)), "too_many_requests");
    const other = { username: "desk-2", password: "?" };
    expectError(await staff(service, from(3), other), "invalid_credentials");
    await staffSession(service, { clientKey: PARTNER_KEY });
  });

  it("with right key and secret cost their network nothing, whatever else is wrong", async () => {
    const { service, counted } = await start();
    for (let i = 0; i < 5; i++) {
      expectError(await staff(service, {}, { username: `desk-${i}`, password: "?" }), "invalid_credentials");
      expectError(await staff(service, {}, {}), "required_info_not_provided");
      expectError(await staff(service, { DPoP: "a.b.c" }), "invalid_dpop_proof");
    }
    expect((await staff(service)).status).toBe(200);
    // Neither a name nor an address is in a counter's key.
    expect(counted.join()).not.toMatch(/desk-|kiosk-osl|192\.0/);
    expect(counted.filter((key) => key.includes("refused"))).toEqual([]);
  });

  it("are counted before their password is compared, so that an attacker with the secret cannot try many", async () => {
    const { service } = await start();
    for (let i = 0; i < 2; i++) await staff(service, {}, { ...RIGHT, password: "wrong" });
    expectError(await staff(service), "too_many_requests");
    expect(service.log.at(-1)).toMatchObject({ rowsWritten: 0 });
  });
});

async function passkeyLogin(service: TestService): Promise<void> {
  const passkey = await newPasskey();
  const answer = await platformLogin(service, (input) => registration(passkey, input));
  if (answer.status !== 200) throw new Error(answer.text);
}

describe("passengers", () => {
  it.each<[string, "guestSession" | "attestationSession" | "federatedSession", (s: TestService) => unknown]>([
    ["guests", "guestSession", guestSession],
    ["identified passengers", "attestationSession", passkeyLogin],
    ["hosts' passengers", "federatedSession", federatedSession],
  ])("%s log in beside a neighbour who is refused too often", async (_, name, login) => {
    const { service } = await start();
    const statuses = [];
    for (let i = 0; i < 4; i++) {
      statuses.push((await service.call(name, { ...WRONG, token: "?" })).status);
    }
    expect(statuses).toEqual([401, 401, 429, 429]);
    for (let i = 0; i < 2; i++) await login(service);
    await expect(async () => login(service)).rejects.toThrow("too_many_requests");
    expect(service.log.at(-1)).toMatchObject({ status: 429, rowsWritten: 0 });
  });

  it("of another network, or who log in another way, are counted apart", async () => {
    const { service } = await start();
    for (let i = 0; i < 3; i++) await service.call("guestSession", WRONG);
    expectError(await service.call("guestSession", WRONG), "too_many_requests");
    expectError(await service.call("attestationSession", WRONG), "invalid_nonce");
    const elsewhere = { "CF-Connecting-IP": "198.51.100.1" };
    expectError(await service.call("guestSession", WRONG, elsewhere), "invalid_nonce");
  });

  it("with a wrong clock get their nonce for a proof, however many are refused there", async () => {
    const { service } = await start();
    for (let i = 0; i < 4; i++) await service.call("guestSession", WRONG);
    const app = await newAppInstance();
    const { path } = endpoints.guestSession;
    const DPoP = await dpopProof(app, { path, now: service.now() - 3_600_000 });
    const answer = await service.call("guestSession", WRONG, { DPoP });
    expectError(answer, "invalid_dpop_proof");
    expect(answer.headers.get("DPoP-Nonce")).not.toBeNull();
  });
});
