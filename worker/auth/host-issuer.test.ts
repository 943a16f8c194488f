import { exports } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { decodeProtectedHeader } from "jose";
import { beforeEach, expect, inject, it } from "vitest";
import { endpoints, HEADER } from "../../core/api/index.ts";
import { clients, federatedIssuers, loadedPlans } from "../../db/schema.ts";
import { changeRow, lastSession } from "../test-support/rows.ts";
import { PASSENGER_KEY, startService, type TestService } from "../test-support/service.ts";

/** Federated login against a real OpenID provider on this machine: its discovery, its ID tokens, its key set by URL. */

const HOST = inject("hostIssuer");

/** Works a switch of `scripts/test/test-support/provide-host-issuer.ts`. */
async function host<T>(path: string, query: Record<string, string> = {}): Promise<T> {
  const answer = await fetch(`${HOST}/test/${path}?${new URLSearchParams(query)}`);
  expect(answer.status).toBe(200);
  return answer.json();
}
const idToken = (sub = "traveller") => host<string>("token", { sub });
const rotate = (alg = "ES256") => host<null>("rotate", { alg });
const fetches = () => host<number>("fetches");

let service: TestService;
beforeEach(async () => {
  await rotate();
  service = await startTrusting();
});

/** A service, with nothing fetched yet, that trusts the host as its own documents describe it. */
async function startTrusting(): Promise<TestService> {
  const started = await startService({}, (...request) => fetch(...request));
  const discovery = await fetch(`${HOST}/.well-known/openid-configuration`);
  const { issuer, jwks_uri } = (await discovery.json()) as { issuer: string; jwks_uri: string };
  const row = {
    audience: "taglatch",
    // No other test's: the keys of an address are cached as long as the service's process lives.
    jwksUrl: `${jwks_uri}?of=${crypto.randomUUID()}`,
    algorithms: ["ES256", "RS256"],
    loadsTravelPlans: true,
  };
  const { issuer: target } = federatedIssuers;
  await started.db
    .insert(federatedIssuers)
    .values({ issuer, ...row })
    .onConflictDoUpdate({ target, set: row });
  await changeRow(started.db, clients, "client-passenger", { federatedIssuers: [issuer] });
  return started;
}

const login = (token: string) => service.call("federatedSession", { token });

it("a traveller of a real host logs in with its ID token, and has the bookings the host vouches for", async () => {
  const token = await idToken("ada");
  expect(decodeProtectedHeader(token)).toMatchObject({ alg: "ES256", kid: expect.any(String) });
  expect((await login(token)).status).toBe(200);
  const { sub } = await lastSession(service);
  const rows = await service.db.select().from(loadedPlans).where(eq(loadedPlans.sub, sub));
  expect(rows.map(({ planId }) => planId)).toEqual(["demo-plan-1"]);
});

it("a host's keys are fetched once for simultaneous logins, each a request of its own", async () => {
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
