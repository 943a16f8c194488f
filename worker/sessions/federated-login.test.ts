import { eq } from "drizzle-orm";
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { HEADER, limits } from "../../core/api/index.ts";
import hostAirline from "../../db/demo/host-airline.jwk.json" with { type: "json" };
import { clients, federatedIssuers, guessCounters, loadedPlans } from "../../db/schema.ts";
import { hmacText } from "../secrets/sealed.ts";
import { hostToken, newAppInstance } from "../test-support/app-instance.ts";
import { federatedSession } from "../test-support/logins.ts";
import { changeRow, lastAudit, lastSession } from "../test-support/rows.ts";
import {
  expectError,
  KIOSK_KEY,
  PARTNER_KEY,
  PASSENGER_KEY,
  startService,
  type TestService,
} from "../test-support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

const login = (token: string, headers: Record<string, string> = {}) =>
  service.call("federatedSession", { token }, headers);
const attempt = async (claims: JWTPayload) => login(await hostToken(service.now(), claims));

describe("a traveller of the host airline", () => {
  it("gets the key the host vouches for, and none otherwise", async () => {
    const app = await newAppInstance();
    await federatedSession(service, { app, dpop: true });
    expect((await lastSession(service)).keyJwk).toEqual(app.jwk);
    await attempt({});
    expect((await lastSession(service)).keyJwk).toBeNull();
  });

  it("must prove the key the host vouches for: a token that was overheard is worth nothing", async () => {
    const { jwk } = await newAppInstance();
    const answer = await attempt({ cnf: { jwk } });
    expectError(answer, "invalid_dpop_proof");
    expect(await lastAudit(service)).toMatchObject({ reason: "cnf without a proof" });
    await expect(federatedSession(service, { dpop: true, claims: { cnf: { jwk } } })).rejects.toThrow(
      "invalid_dpop_proof",
    );
  });

  it("logs in once with a token that has a jti, however many come at the same time", async () => {
    const token = await hostToken(service.now(), { jti: "once" });
    const answers = await Promise.all(Array.from({ length: 5 }, () => login(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
    expectError(await login(token), "invalid_federated_token");
    expect(await lastAudit(service)).toMatchObject({ reason: "jti used" });
    expect((await attempt({ jti: "another" })).status).toBe(200);
    const unnumbered = await hostToken(service.now());
    expect([(await login(unnumbered)).status, (await login(unnumbered)).status]).toEqual([200, 200]);
  });

  it("keeps the pseudonym that goes with host and name, release after release", async () => {
    const identity = ["client-passenger", "federated", "https://host-airline.example"];
    for (const name of ["a", "b"]) {
      await attempt({ sub: name });
      const { sub } = await lastSession(service);
      expect(sub).toBe(await hmacText(service.settings.pepperKey, "sub", ...identity, name));
    }
  });

  it("is another person at another host of the same name, and at another client", async () => {
    const iss = "https://another-host.example";
    const [host] = await service.db.select().from(federatedIssuers);
    if (host === undefined) throw new Error("no host");
    const trusted = { federatedIssuers: [host.issuer, iss] };
    await service.db.batch([
      service.db.insert(federatedIssuers).values({ ...host, issuer: iss }),
      changeRow(service.db, clients, "client-passenger", trusted),
    ]);
    const subs = [];
    for (const [claims, key] of [
      [{}, PASSENGER_KEY],
      [{ iss }, PASSENGER_KEY],
      [{}, PARTNER_KEY],
    ] as const) {
      const answer = await login(await hostToken(service.now(), claims), { [HEADER.clientKey]: key });
      expect(answer.status).toBe(200);
      subs.push((await lastSession(service)).sub);
    }
    expect(new Set(subs).size).toBe(3);
    await service.db.delete(federatedIssuers).where(eq(federatedIssuers.issuer, iss));
  });

  it("is refused with a token that is none", async () => {
    expectError(await login("a.b.c"), "invalid_federated_token");
    expect(await lastAudit(service)).toMatchObject({ reason: "malformed" });
  });

  it("is refused once the operator has turned the host off", async () => {
    await service.db.update(federatedIssuers).set({ enabled: false });
    expectError(await attempt({}), "invalid_federated_token");
    expect(await lastAudit(service)).toMatchObject({ reason: "issuer unknown" });
    await service.db.update(federatedIssuers).set({ enabled: true });
  });

  it("needs no date on the token where the host's row limits no age, and none before the service's own clock", async () => {
    const later = await startService();
    later.advance(3_600);
    const token = await hostToken(later.now(), {
      iat: undefined as never,
      nbf: Math.floor(later.now() / 1_000),
    });
    expect((await later.call("federatedSession", { token })).status).toBe(200);
  });

  it("is refused under a client key that does not know the host", async () => {
    expectError(
      await login(await hostToken(service.now()), { [HEADER.clientKey]: KIOSK_KEY }),
      "unauthorized_client",
    );
  });

  it("has no use for Authorization", async () => {
    const answer = await login(await hostToken(service.now()), { Authorization: "Bearer nonsense" });
    expect(answer.status).toBe(200);
  });
});

describe("a host's row", () => {
  const host = eq(federatedIssuers.issuer, "https://host-airline.example");
  /** A login by a token signed with `alg`, at a host whose row allows that and nothing else. */
  async function loginBy(alg: string) {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "k", alg }] };
    const [before] = await service.db.select().from(federatedIssuers).where(host);
    await service.db
      .update(federatedIssuers)
      .set({ jwks, algorithms: [alg] })
      .where(host);
    const claims = { ...decodeJwt(await hostToken(service.now())) };
    const answer = await login(
      await new SignJWT(claims).setProtectedHeader({ alg, kid: "k" }).sign(privateKey),
    );
    await service.db
      .update(federatedIssuers)
      .set({ ...before })
      .where(host);
    return answer;
  }

  it.each(["ES256", "ES384", "ES512", "PS256", "PS384", "RS256", "EdDSA"])("may allow %s", async (alg) => {
    expect((await loginBy(alg)).status).toBe(200);
  });

  it("may allow none beside these, here RS512", async () => {
    expectError(await loginBy("RS512"), "invalid_federated_token");
    expect(await lastAudit(service)).toMatchObject({ reason: "ERR_JOSE_ALG_NOT_ALLOWED" });
  });

  it("with an invalid key refuses every login, and the reason is in the audit log", async () => {
    const [before] = await service.db.select().from(federatedIssuers).where(host);
    const jwks = { keys: [{ kty: "EC", crv: "P-256", x: "AA", y: "AA", kid: hostAirline.kid }] };
    await service.db.update(federatedIssuers).set({ jwks }).where(host);
    expectError(await login(await hostToken(service.now())), "invalid_federated_token");
    const { reason } = await lastAudit(service);
    await service.db
      .update(federatedIssuers)
      .set({ ...before })
      .where(host);
    expect(reason).toBe("key not usable");
  });
});

describe("the travel plans a host vouches for", () => {
  const lovelace = { recordLocator: "ABC123", surname: "Lovelace" };
  const mueller = { recordLocator: "k7q2zd", surname: "Mueller" };
  async function loaded(travel_plans: unknown): Promise<string[]> {
    await federatedSession(service, { claims: { sub: crypto.randomUUID(), travel_plans } });
    const { sub } = await lastSession(service);
    const rows = await service.db.select().from(loadedPlans).where(eq(loadedPlans.sub, sub));
    return rows.map(({ planId }) => planId).sort();
  }

  it("become the traveller's own where locator and surname match", async () => {
    expect(await loaded([lovelace])).toEqual(["demo-plan-1"]);
    expect(await loaded([lovelace, mueller, lovelace])).toEqual(["demo-plan-1", "demo-plan-2"]);
  });

  it.each<[string, unknown]>([
    ["the surname is another", [{ ...lovelace, surname: "Byron" }]],
    ["the locator is unknown", [{ ...lovelace, recordLocator: "ZZZ999" }]],
    [
      "the entry is malformed",
      [{ recordLocator: "ABC123" }, null, "ABC123", { recordLocator: "ABC123", surname: 1 }],
    ],
  ])("are passed over where %s", async (_, claim) => {
    expect(await loaded(claim)).toEqual([]);
  });

  it("do not count unless the host's row allows them", async () => {
    await service.db.update(federatedIssuers).set({ loadsTravelPlans: false });
    expect(await loaded([lovelace])).toEqual([]);
    await service.db.update(federatedIssuers).set({ loadsTravelPlans: true });
  });

  it("do not count once they are past", async () => {
    const later = await startService();
    later.advance(30 * 86_400);
    const claims = { sub: "late", travel_plans: [lovelace] };
    await federatedSession(later, { claims });
    const { sub } = await lastSession(later);
    expect(await later.db.select().from(loadedPlans).where(eq(loadedPlans.sub, sub))).toEqual([]);
  });

  it("are those of the client's airlines alone", async () => {
    await changeRow(service.db, clients, "client-passenger", { airlines: ["SK"] });
    expect(await loaded([lovelace, mueller])).toEqual(["demo-plan-1"]);
    await changeRow(service.db, clients, "client-passenger", { airlines: ["SK", "LH"] });
  });

  const counted = async () => {
    const rows = await service.db.select().from(guessCounters);
    return rows.map(({ count }) => count).sort();
  };

  it("are guesses: a right pair costs nothing, each pair that finds none one", async () => {
    await service.db.delete(guessCounters);
    await loaded([lovelace]);
    expect(await counted()).toEqual([0]);
    await loaded([lovelace, { ...lovelace, surname: "Byron" }, { ...lovelace, surname: "Babbage" }]);
    expect(await counted()).toEqual([2]);
  });

  it("are passed over, right and wrong alike, once the locator's budget is spent", async () => {
    const cap = service.settings.limits.guessesPerLocatorVouched;
    for (let i = 0; i < cap / 10; i++) {
      const wrong = Array.from({ length: 10 }, (_, n) => ({ ...mueller, surname: `Marple${i}${n}` }));
      expect(await loaded(wrong)).toEqual([]);
    }
    expect(await loaded([mueller])).toEqual([]);
    expect(await loaded([lovelace])).toEqual(["demo-plan-1"]);
    await service.db.delete(guessCounters);
    expect(await loaded([mueller])).toEqual(["demo-plan-2"]);
  });
});

describe("a host whose keys are behind a URL", () => {
  const byUrl = { jwks: null, jwksUrl: "https://host-airline.example/jwks.json" };
  /** A start puts the host's own row back. */
  afterEach(async () => void (await startService()));

  it("turns its travellers away while they cannot be fetched", async () => {
    const unreachable = await startService();
    await unreachable.db.update(federatedIssuers).set(byUrl);
    const token = await hostToken(unreachable.now());
    const answer = await unreachable.call("federatedSession", { token });
    expectError(answer, "service_unavailable");
    // The host is not asked again before.
    expect(answer.headers.get("Retry-After")).toBe(String(limits.hostKeysCooldownSeconds));
  });
});
