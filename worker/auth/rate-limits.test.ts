import { describe, expect, it } from "vitest";
import { type Endpoint, type EndpointName, endpoints, HEADER } from "../../core/api/index.ts";
import { auditLog } from "../../db/schema.ts";
import { dpopProof, newAppInstance } from "../test-support/app-instance.ts";
import {
  federatedSession,
  guestSession,
  platformLogin,
  staffSession,
  type TestSession,
} from "../test-support/logins.ts";
import { newPasskey, registration } from "../test-support/passkey.ts";
import {
  expectError,
  PARTNER_KEY,
  STAFF_LOGIN,
  startService,
  type TestService,
  upTo,
} from "../test-support/service.ts";

/** The platform's own counters are met by the look-ups (lookup.test.ts); here are some that let two through. */

const from = (address: string) => ({ "CF-Connecting-IP": address });

/** Refreshes a session that has logged out; nothing is in the audit log yet. */
async function endedSession(service: TestService) {
  const { refreshToken, call } = await guestSession(service);
  await call("logout");
  await service.db.delete(auditLog);
  return (address: string) => service.post(endpoints.refresh.path, { refreshToken }, from(address));
}

describe.each<[EndpointName, string]>([
  ["nonce", "NONCE_LIMIT"],
  ["foundReport", "LOGIN_LIMIT"],
])("%s", (name, binding) => {
  it("is refused to a network that asks too often, and to no other", async () => {
    const counter = upTo(2);
    const production = await startService({ ENVIRONMENT: "production", [binding]: counter });
    const ask = (address: string) => production.call(name, {}, from(address));
    expect((await ask("192.0.2.1")).status).not.toBe(429);
    expect((await ask("192.0.2.2")).status).not.toBe(429);
    const refused = await ask("192.0.2.254");
    expectError(refused, "too_many_requests");
    expect(refused.headers.get("Retry-After")).toBe("60");
    expect((await ask("198.51.100.1")).status).not.toBe(429);
    expect(counter.counted.join()).not.toMatch(/192\.0\.2|198\.51/);
  });

  it("is refused before any work: neither client key nor database is looked at", async () => {
    const production = await startService({ ENVIRONMENT: "production", [binding]: never });
    const headers = { [HEADER.clientKey]: "unknown" };
    expectError(await production.post(endpoints[name].path, {}, headers), "too_many_requests");
    expect(production.log.at(-1)).toMatchObject({ status: 429, calls: 0 });
  });
});

describe.each<EndpointName>(["baggageSourceMessages", "journeysFromAirlinePayload"])("%s", (name) => {
  it("is refused to staff who send too often, before the body is checked, and to no other caller", async () => {
    const counter = upTo(2);
    const production = await startService({ ENVIRONMENT: "production", FEED_LIMIT: counter });
    const staff = await staffSession(production);
    const partner = await staffSession(production, { clientKey: PARTNER_KEY });
    for (let i = 0; i < 2; i++) expectError(await staff.call(name, "{"), "invalid_request");
    expectError(await staff.call(name, "{"), "too_many_requests");
    expectError(await partner.call(name, "{"), "invalid_request");
    expect(new Set(counter.counted).size).toBe(2);
  });
});

const rows = Object.entries(endpoints) as [EndpointName, Endpoint][];
const writers = rows.flatMap(([name, { subjectRate }]) => (subjectRate === "write" ? [name] : []));
const never = { limit: async () => ({ success: false }) };

describe.each(writers)("%s writes and", (name) => {
  it("is refused to a person who asks too often, before the database is asked", async () => {
    const production = await startService({ ENVIRONMENT: "production", WRITE_LIMIT: never });
    const guest = await guestSession(production, { dpop: true });
    for (const session of [guest, await staffSession(production)]) {
      expectError(await session.call(name, {}), "too_many_requests");
      expect(production.log.at(-1)).toMatchObject({ status: 429, calls: 0 });
    }
  });

  it("is refused to passengers of a network that writes too often, and not to staff there", async () => {
    const production = await startService({ ENVIRONMENT: "production", HALL_LIMIT: never });
    expectError(await (await guestSession(production)).call(name, {}), "too_many_requests");
    expect(production.log.at(-1)).toMatchObject({ reason: "rate of hall", rowsWritten: 0 });
    const staff = await staffSession(production);
    expect((await staff.call(name, {})).status).not.toBe(429);
  });
});

const readers = rows.flatMap(([name, { subjectRate }]) => (subjectRate === "read" ? [name] : []));

describe.each(readers)("%s reads and", (name) => {
  it("is refused to a person who asks too often, before the database is asked, and to no other", async () => {
    const counter = upTo(2);
    const production = await startService({ ENVIRONMENT: "production", READ_LIMIT: counter });
    const [staff, guest] = [await staffSession(production), await guestSession(production)];
    for (let i = 0; i < 2; i++) expect((await staff.call(name, {})).status).not.toBe(429);
    const refused = await staff.call(name, {});
    expectError(refused, "too_many_requests");
    expect(refused.headers.get("Retry-After")).toBe("60");
    expect(production.log.at(-1)).toMatchObject({ status: 429, calls: 0, reason: "rate of read" });
    expect((await guest.call(name, {})).status).not.toBe(429);
  });
});

it("refreshes are counted by session, and by no network", async () => {
  const refresh = async (vars: object, login: typeof guestSession) => {
    const production = await startService({ ENVIRONMENT: "production", ...vars });
    const { refreshToken } = await login(production);
    const statuses = [];
    for (let i = 0; i < 3; i++) {
      statuses.push((await production.post(endpoints.refresh.path, { refreshToken })).status);
    }
    return statuses;
  };
  expect(await refresh({ LOOKUP_LIMIT: upTo(2) }, staffSession)).toEqual([200, 200, 429]);
  for (const login of [guestSession, staffSession]) {
    expect(await refresh({ HALL_LIMIT: never, HOLDER_LIMIT: never }, login)).toEqual([200, 200, 200]);
  }
});

it("refreshes of one session spend nothing of another's", async () => {
  const production = await startService({ ENVIRONMENT: "production", LOOKUP_LIMIT: upTo(2) });
  const refresh = async ({ refreshToken }: TestSession) =>
    production.post(endpoints.refresh.path, { refreshToken });
  for (const session of [await staffSession(production), await staffSession(production)]) {
    let last = await refresh(session);
    expect(last.status).toBe(200);
    last = await refresh({ ...session, refreshToken: last.body.refreshToken });
    expect(last.status).toBe(200);
  }
});

it("lets no caller fill the audit log with refusals: past the rate they are in the log line alone", async () => {
  const counter = upTo(2);
  const production = await startService({ ENVIRONMENT: "production", LOGIN_LIMIT: counter });
  const refresh = await endedSession(production);
  counter.counted.length = 0;
  for (let i = 0; i < 4; i++) expectError(await refresh("192.0.2.1"), "invalid_refresh_token");
  expect(production.log.at(-1)).toMatchObject({ status: 401, reason: "revoked", rowsWritten: 0 });
  await refresh("198.51.100.1");
  const refusals = await production.db.select().from(auditLog);
  expect(refusals.map(({ count }) => count)).toEqual([2, 1]);
  expect(new Set(counter.counted).size).toBe(2);
});

describe("counters that fail", () => {
  const broken = () => Promise.reject(new TypeError("no such counter"));
  const BROKEN = ["NONCE", "LOGIN", "LOOKUP", "FEED", "READ", "WRITE", "HALL"].map((name) => `${name}_LIMIT`);
  const start = () =>
    startService({
      ENVIRONMENT: "production",
      ...Object.fromEntries(BROKEN.map((name) => [name, { limit: broken }])),
    });

  it("refuse no nonce, login, look-up or feed, and the log line names what was not counted", async () => {
    const production = await start();
    const uncounted = () => production.log.at(-1)?.uncounted;
    const guest = await guestSession(production);
    expect(production.log.map(({ uncounted }) => uncounted)).toEqual([
      { nonce: "TypeError" },
      { login: "TypeError" },
    ]);
    const staff = await staffSession(production);
    expect(uncounted()).toEqual({ login: "TypeError" });
    expect((await guest.call("ebtLookup", { uniqueDeviceId: "ebt-21-0001" })).status).toBe(200);
    expect(uncounted()).toEqual({ lookup: "TypeError" });
    expectError(await staff.call("baggageSourceMessages", { message: "BSM" }), "invalid_bsm_format");
    expect(uncounted()).toEqual({ feed: "TypeError" });
    await guest.call("ebtUnlock", { uniqueDeviceId: "ebt-21-0001" });
    expect(uncounted()).toEqual({ write: "TypeError", hall: "TypeError" });
    expect((await guest.call("journeys")).status).toBe(200);
    expect(uncounted()).toEqual({ read: "TypeError" });
    expect(JSON.stringify(production.log)).not.toContain("no such counter");
  });

  it("let no refusal into the audit log: it stays in the log line", async () => {
    const production = await start();
    const refresh = await endedSession(production);
    expectError(await refresh("192.0.2.1"), "invalid_refresh_token");
    expect(production.log.at(-1)).toMatchObject({ reason: "revoked", uncounted: { login: "TypeError" } });
    expect(await production.db.select().from(auditLog)).toEqual([]);
  });

  it("allow no further guess: that budget is the database's", async () => {
    const production = await start();
    const guest = await guestSession(production);
    const proof = { uniqueDeviceId: "never-seen", recordLocator: "ZZZZZZ", surname: "MARPLE" };
    for (let i = 0; i < 5; i++)
      expectError(await guest.call("ebtCustodyProof", proof), "custody_proof_invalid");
    expectError(await guest.call("ebtCustodyProof", proof), "too_many_attempts");
  });
});

it("counts no caller in development, nor where the deployment has no counters", async () => {
  const development = await startService({ NONCE_LIMIT: never });
  expect((await development.call("nonce")).status).toBe(200);
  const bare = await startService({ ENVIRONMENT: "production", NONCE_LIMIT: undefined });
  expect((await bare.call("nonce")).status).toBe(200);
  expect(bare.log.at(-1)).not.toHaveProperty("uncounted");
});

it.each([
  ["in development", { LOGIN_LIMIT: never }],
  ["in a deployment without counters", { ENVIRONMENT: "production", LOGIN_LIMIT: undefined }],
])("%s every refusal is audited", async (_, vars) => {
  const service = await startService(vars);
  const refresh = await endedSession(service);
  expectError(await refresh("192.0.2.1"), "invalid_refresh_token");
  expect(await service.db.select().from(auditLog)).toHaveLength(1);
});

/** How often a network may fail to log in and how often it may succeed, each for itself (rules §2). */

const RIGHT = { username: "kiosk-osl-1", password: "correct horse battery staple" };
const WRONG = { nonce: "?", attestationObject: "?" };

/** A service in production that lets two logins through for each key, and the keys it has counted. */
async function startLogins() {
  const counter = upTo(2);
  const service = await startService({ ENVIRONMENT: "production", LOGIN_LIMIT: counter });
  return { service, counted: counter.counted };
}

const staffLogin = (service: TestService, headers: Record<string, string> = {}, body: object = RIGHT) =>
  service.call("b2bSession", body, { ...STAFF_LOGIN, ...headers });

describe("staff", () => {
  it.each<[string, Record<string, string>]>([
    ["with a key that is none", { [HEADER.clientKey]: "unknown" }],
    ["with another secret", { [HEADER.b2bSecret]: "wrong" }],
  ])("log in beside a neighbour %s, who is refused too often", async (_, wrong) => {
    const { service } = await startLogins();
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await staffLogin(service, wrong)).status);
    expect(statuses).toEqual([401, 401, 429, 429, 429]);
    expect((await staffLogin(service)).status).toBe(200);
  });

  it("are counted by client and user name alone, whatever their network", async () => {
    const { service } = await startLogins();
    const from = (host: number) => ({ "CF-Connecting-IP": `192.0.${host}.1` });
    expect((await staffLogin(service, from(1))).status).toBe(200);
    expectError(await staffLogin(service, from(2), { ...RIGHT, password: "wrong" }), "invalid_credentials");
    expectError(await staffLogin(service, from(3)), "too_many_requests");
    const other = { username: "desk-2", password: "?" };
    expectError(await staffLogin(service, from(3), other), "invalid_credentials");
    await staffSession(service, { clientKey: PARTNER_KEY });
  });

  it("with right key and secret cost their network nothing, whatever else is wrong", async () => {
    const { service, counted } = await startLogins();
    for (let i = 0; i < 5; i++) {
      expectError(
        await staffLogin(service, {}, { username: `desk-${i}`, password: "?" }),
        "invalid_credentials",
      );
      expectError(await staffLogin(service, {}, {}), "required_info_not_provided");
      expectError(await staffLogin(service, { DPoP: "a.b.c" }), "invalid_dpop_proof");
    }
    expect((await staffLogin(service)).status).toBe(200);
    // Neither a name nor an address is in a counter's key.
    expect(counted.join()).not.toMatch(/desk-|kiosk-osl|192\.0/);
    expect(counted.filter((key) => key.includes("refused"))).toEqual([]);
  });

  it("are counted before their password is compared, so that an attacker with the secret cannot try many", async () => {
    const { service } = await startLogins();
    for (let i = 0; i < 2; i++) await staffLogin(service, {}, { ...RIGHT, password: "wrong" });
    expectError(await staffLogin(service), "too_many_requests");
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
    const { service } = await startLogins();
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
    const { service } = await startLogins();
    for (let i = 0; i < 3; i++) await service.call("guestSession", WRONG);
    expectError(await service.call("guestSession", WRONG), "too_many_requests");
    expectError(await service.call("attestationSession", WRONG), "invalid_nonce");
    const elsewhere = { "CF-Connecting-IP": "198.51.100.1" };
    expectError(await service.call("guestSession", WRONG, elsewhere), "invalid_nonce");
  });

  it("with a wrong clock get their nonce for a proof, however many are refused there", async () => {
    const { service } = await startLogins();
    for (let i = 0; i < 4; i++) await service.call("guestSession", WRONG);
    const app = await newAppInstance();
    const { path } = endpoints.guestSession;
    const DPoP = await dpopProof(app, { path, now: service.now() - 3_600_000 });
    const answer = await service.call("guestSession", WRONG, { DPoP });
    expectError(answer, "invalid_dpop_proof");
    expect(answer.headers.get("DPoP-Nonce")).not.toBeNull();
  });
});
