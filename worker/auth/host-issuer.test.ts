import { exports } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { endpoints, HEADER } from "../../core/api/index.ts";
import { clients, federatedIssuers, loadedPlans } from "../../db/schema.ts";
import { expectError } from "../test-support/expect-error.ts";
import { lastSession } from "../test-support/rows.ts";
import { PASSENGER_KEY, startService, type TestService } from "../test-support/service.ts";

/** Federated login against a real OpenID provider on this machine: its code flow, its ID tokens, its key set by URL. */

const HOST = inject("hostIssuer");
const FAULTS = ["refused", "status 500", "not JSON", "too large", "redirect", "silent"] as const;

/** Works a switch of `scripts/test/test-support/host-issuer.ts`. */
async function host<T>(path: string, query: Record<string, string> = {}): Promise<T> {
  const answer = await fetch(`${HOST}/test/${path}?${new URLSearchParams(query)}`);
  expect(answer.status).toBe(200);
  return answer.json();
}
const idToken = (sub = "traveller") => host<string>("token", { sub });
const rotate = (alg = "ES256") => host<null>("rotate", { alg });
const fail = (fault: string) => host<null>("fault", { fault });
const fetches = () => host<number>("fetches");

let service: TestService;
beforeEach(async () => {
  await fail("none");
  await rotate();
  // A busy machine's host is slow, and yet no fault.
  service = await startTrusting({ HOST_KEYS_TIMEOUT_MILLISECONDS: "30000" });
});

/** A service, with nothing fetched yet, that trusts the host as its own documents describe it. */
async function startTrusting(vars: Record<string, string> = {}): Promise<TestService> {
  const started = await startService(vars, (...request) => fetch(...request));
  const discovery = await fetch(`${HOST}/.well-known/openid-configuration`);
  const { issuer, jwks_uri } = (await discovery.json()) as { issuer: string; jwks_uri: string };
  const row = {
    audience: "taglatch",
    jwksUrl: jwks_uri,
    algorithms: ["ES256", "RS256"],
    loadsTravelPlans: true,
  };
  const { issuer: target } = federatedIssuers;
  await started.db
    .insert(federatedIssuers)
    .values({ issuer, ...row })
    .onConflictDoUpdate({ target, set: row });
  await started.db
    .update(clients)
    .set({ federatedIssuers: [issuer] })
    .where(eq(clients.id, "client-passenger"));
  return started;
}

const login = (token: string, at = service) => at.call("federatedSession", { token });

describe("a traveller of a real host", () => {
  it.each(["ES256", "RS256"])("logs in with its ID token signed by %s", async (alg) => {
    await rotate(alg);
    const token = await idToken("ada");
    expect(decodeProtectedHeader(token)).toMatchObject({ alg, kid: expect.any(String) });
    expect((await login(token)).status).toBe(200);
  });

  it("has the bookings the host vouches for", async () => {
    await login(await idToken("ada"));
    const { sub } = await lastSession(service);
    const rows = await service.db.select().from(loadedPlans).where(eq(loadedPlans.sub, sub));
    expect(rows.map(({ planId }) => planId)).toEqual(["demo-plan-1"]);
  });

  it("is refused with a token that was tampered with", async () => {
    const [header, , signature] = (await idToken("ada")).split(".");
    const claims = btoa(JSON.stringify({ ...decodeJwt(await idToken("ada")), sub: "eve" })).replaceAll(
      "=",
      "",
    );
    expectError(await login(`${header}.${claims}.${signature}`), "invalid_federated_token");
  });
});

describe("a host's keys", () => {
  it("are fetched once for many logins, and again when they are old", async () => {
    const token = await idToken();
    const before = await fetches();
    for (let i = 0; i < 5; i++) expect((await login(token)).status).toBe(200);
    expect(await fetches()).toBe(before + 1);
    service.advance(600);
    await login(token);
    expect(await fetches()).toBe(before + 2);
  });

  it("are fetched once for simultaneous logins, each a request of its own", async () => {
    const token = await idToken();
    const before = await fetches();
    const requests = Array.from({ length: 20 }, () =>
      exports.default.fetch(`https://taglatch.test${endpoints.federatedSession.path}`, {
        method: "POST",
        headers: { [HEADER.clientKey]: PASSENGER_KEY },
        body: new TextEncoder().encode(JSON.stringify({ token })),
      }),
    );
    const answers = await Promise.all(requests);
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    expect(await fetches()).toBe(before + 1);
  });

  it("may change: the new one is found, the old one is good no longer", async () => {
    const old = await idToken();
    expect((await login(old)).status).toBe(200);
    await rotate();
    const fresh = await idToken();
    service.advance(30);
    expect((await login(fresh)).status).toBe(200);
    expectError(await login(old), "invalid_federated_token");
  });

  it("are not asked for by every unknown kid", async () => {
    await login(await idToken());
    const before = await fetches();
    const [, claims, signature] = (await idToken()).split(".");
    service.advance(30);
    for (let i = 0; i < 20; i++) {
      const header = btoa(JSON.stringify({ alg: "ES256", kid: crypto.randomUUID() })).replaceAll("=", "");
      expectError(await login(`${header}.${claims}.${signature}`), "invalid_federated_token");
    }
    expect(await fetches()).toBe(before + 1);
  });

  it("are fetched over TLS only in production", async () => {
    const production = await startTrusting({ ENVIRONMENT: "production" });
    const token = await idToken();
    const before = await fetches();
    expectError(await login(token, production), "service_unavailable");
    expect(await fetches()).toBe(before);
  });
});

describe.each(FAULTS)("a host whose key set is %s", (fault) => {
  beforeEach(async () => {
    if (fault === "silent") service = await startTrusting({ HOST_KEYS_TIMEOUT_MILLISECONDS: "1000" });
  });

  it("cannot be logged in from, and the caller is asked to come again", async () => {
    const token = await idToken();
    await fail(fault);
    const answer = await login(token);
    expectError(answer, "service_unavailable");
    expect(answer.headers.get("Retry-After")).toBe("30");
    await fail("none");
    service.advance(30);
    expect((await login(token)).status).toBe(200);
  });

  it("goes on for an hour with the keys it had", async () => {
    const token = await idToken();
    await login(token);
    await fail(fault);
    service.advance(3_599);
    expect((await login(token)).status).toBe(200);
    service.advance(31);
    expectError(await login(token), "service_unavailable");
  });

  it("is not asked again and again", async () => {
    const token = await idToken();
    await fail(fault);
    const before = await fetches();
    for (let i = 0; i < 5; i++) expectError(await login(token), "service_unavailable");
    expect(await fetches()).toBe(before + 1);
  });
});
