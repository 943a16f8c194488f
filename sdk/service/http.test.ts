import { describe, expect, test } from "vitest";
import { endpoints, HEADER } from "../../core/api/index.ts";
import { refusalResponse } from "../test-support/fake-service.ts";
import { checkJws } from "../test-support/proofs.ts";
import { type AppKey, Http } from "./http.ts";
import { ServiceClock } from "./service-clock.ts";

type Answer = () => Response | Promise<Response>;

const at = (bookmark: string) => () =>
  refusalResponse("service_unavailable", { "Retry-After": "0", [HEADER.bookmark]: bookmark });
const ok: Answer = () => Response.json({ locked: false });
const lost: Answer = () => Promise.reject(new TypeError("Failed to fetch"));
const broken: Answer = () =>
  new Response(new ReadableStream({ pull: (body) => body.error(new TypeError("broken")) }), { status: 403 });
const down: Answer = () => refusalResponse("service_unavailable", { "Retry-After": "0" });

async function key(): Promise<AppKey> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const { kty = "", crv = "", x = "", y = "" } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return { privateKey: pair.privateKey, jwk: { kty, crv, x, y }, thumbprint: "t" };
}

/** One call, what it comes to, and what was given to `fetch`; a service that is asked more often than it answers says yes. */
async function call(
  name: "ebtLookup" | "guestSession" | "logout",
  answers: readonly Answer[],
  { now = Date.now, clientKey = async () => "k", times = 1 } = {},
) {
  const asked: RequestInit[] = [];
  const http = new Http({
    baseUrl: "https://service.example",
    clock: new ServiceClock(now),
    clientKey,
    fetch: async (_url, init = {}) => {
      asked.push(init);
      return (answers[asked.length - 1] ?? ok)();
    },
  });
  const body = { uniqueDeviceId: "t", nonce: "n", attestationObject: "a" };
  const options = { signal: new AbortController().signal, key: await key(), accessToken: "a" };
  for (let left = times; left > 1; left--) await http.send(name, body, options);
  const outcome = await http.send(name, body, options).then(
    (value) => ({ value, error: undefined }),
    (error) => ({ value: undefined, error }),
  );
  return { ...outcome, asked, sent: asked.map(({ headers }) => new Headers(headers)) };
}

const claimsOf = async (headers: Headers | undefined) => (await checkJws(headers?.get("DPoP") ?? "")).claims;

describe("a call", () => {
  test("is tried three times while the service is out of reach", async () => {
    expect((await call("ebtLookup", [lost, down])).value).toEqual({ locked: false });
    const { error, sent } = await call("ebtLookup", [lost, lost, lost]);
    expect(error).toMatchObject({ code: "network", afterLostAnswer: true });
    expect(sent).toHaveLength(3);
  });

  test("whose connection breaks in the body is a fault of the network, whatever its status was", async () => {
    const { error, sent } = await call("ebtLookup", [broken, broken, broken]);
    expect(error).toMatchObject({ code: "network", statusCode: undefined, afterLostAnswer: true });
    expect(sent).toHaveLength(3);
  });

  test("is tried once where a second try would present a burnt nonce", async () => {
    expect((await call("guestSession", [lost])).sent).toHaveLength(1);
  });

  test.each([
    ["too_many_requests", { "Retry-After": "30" }, { retryAfter: 30, statusCode: 429 }],
    ["custody_proof_required", {}, { statusCode: 403 }],
    ["internal_error", { [HEADER.requestId]: "r-9" }, { requestId: "r-9", statusCode: 500 }],
    ["service_unavailable", { "Retry-After": "60" }, { retryAfter: 60 }],
  ] as const)("is not tried again after %s", async (code, headers, details) => {
    const { error, sent } = await call("ebtLookup", [() => refusalResponse(code, headers)]);
    expect(error).toMatchObject({ name: "ServiceError", code, ...details });
    expect(sent).toHaveLength(1);
  });

  test.each<[string, Answer, string]>([
    ["another shape", () => Response.json({ locked: "yes" }), "invalid_answer"],
    ["no JSON", () => new Response("<html>"), "invalid_answer"],
    ["a proxy's refusal", () => new Response("<html>", { status: 403 }), "invalid_answer"],
    [
      "a proxy's 429",
      () => new Response("", { status: 429, headers: { "Retry-After": "9" } }),
      "too_many_requests",
    ],
  ])("answered by %s fails by code", async (_what, answer, code) => {
    expect((await call("ebtLookup", [answer])).error).toMatchObject({ name: "ServiceError", code });
  });

  test("brings the latest bookmark to a look-up, whatever order the answers came in", async () => {
    const { sent } = await call("ebtLookup", [at("00000002"), at("00000001")]);
    expect(sent.map((headers) => headers.get(HEADER.bookmark))).toEqual([null, "00000002", "00000002"]);
  });

  test("brings no bookmark to what the primary alone decides", async () => {
    const nonce: Answer = () => refusalResponse("invalid_dpop_proof", { [HEADER.bookmark]: "00000002" });
    const { sent } = await call("guestSession", [nonce]);
    expect(sent.map((headers) => headers.get(HEADER.bookmark))).toEqual([null, null]);
  });

  test("is proved again with the server's nonce", async () => {
    const challenge: Answer = () => refusalResponse("invalid_dpop_proof", { "DPoP-Nonce": "from-server" });
    const { value, sent } = await call("ebtLookup", [challenge]);
    expect(value).toEqual({ locked: false });
    const claims = await claimsOf(sent[1]);
    expect(claims).toMatchObject({ nonce: "from-server", htm: "POST" });
    expect(claims.htu).toBe(`https://service.example${endpoints.ebtLookup.path}`);
  });

  const challenge =
    (nonce: string): Answer =>
    () =>
      refusalResponse("invalid_dpop_proof", { "DPoP-Nonce": nonce });

  test("is proved again with the server's nonce at a login too: no attestation nonce is burnt before", async () => {
    const login: Answer = () => Response.json({ accessToken: "a", tokenType: "Bearer", expiresIn: 600 });
    const { value, sent } = await call("guestSession", [challenge("n-1"), login]);
    expect(value).toMatchObject({ accessToken: "a" });
    expect(sent).toHaveLength(2);
  });

  test("is proved again once: who goes on asking for nonces gets no more", async () => {
    const { error, sent } = await call("ebtLookup", ["1", "2", "3"].map(challenge));
    expect(error).toMatchObject({ code: "invalid_dpop_proof" });
    expect(sent).toHaveLength(2);
  });

  test("takes the next nonce from an answer that brings one", async () => {
    const bringing =
      (nonce: string): Answer =>
      () =>
        Response.json({ locked: false }, { headers: { "DPoP-Nonce": nonce } });
    const { sent } = await call("ebtLookup", ["n-1", "n-2", "n-3"].map(bringing), { times: 3 });
    const nonces = await Promise.all(sent.map(async (headers) => (await claimsOf(headers)).nonce));
    expect(nonces).toEqual([undefined, "n-1", "n-2"]);
  });

  test("is proved again by the server's clock when ours is wrong", async () => {
    const date = "Sat, 21 Nov 2026 12:00:00 GMT";
    const late: Answer = () => refusalResponse("invalid_dpop_proof", { Date: date });
    const { sent } = await call("ebtLookup", [late], { now: () => 0 });
    expect((await claimsOf(sent[1])).iat).toBe(Date.parse(date) / 1_000);
  });
});

describe("a request", () => {
  test("is kept by no cache, carries no cookies, and is over when it has ended", async () => {
    const { asked } = await call("ebtLookup", []);
    expect(asked[0]).toMatchObject({ method: "POST", cache: "no-store", credentials: "omit" });
    expect(asked[0]?.signal?.aborted).toBe(true);
  });

  test("to log out may have the browser clear what it keeps", async () => {
    const { asked } = await call("logout", [() => Response.json({ loggedOut: true })]);
    expect(asked[0]).toMatchObject({ credentials: "same-origin" });
  });

  test("is proved for the second that has begun", async () => {
    const { sent } = await call("ebtLookup", [], { now: () => 1_999 });
    expect((await claimsOf(sent[0])).iat).toBe(1);
  });

  test("is not made where there is no key for it, and that is no failure of the service", async () => {
    const missing = new TypeError("no key");
    const { error, asked } = await call("ebtLookup", [], { clientKey: () => Promise.reject(missing) });
    expect([error, asked]).toEqual([missing, []]);
    expect(error).not.toHaveProperty("afterLostAnswer");
  });
});
