import { eq } from "drizzle-orm";
import { base64url, exportJWK, generateKeyPair, importJWK, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { utf8 } from "../../core/encoding/bytes.ts";
import hostAirline from "../../db/demo/host-airline.jwk.json" with { type: "json" };
import { clients, federatedIssuers, sessions, usedOnce } from "../../db/schema.ts";
import { changeRow, lastAudit } from "../test-support/rows.ts";
import { expectError, startService, type TestService } from "../test-support/service.ts";

/**
 * What can be wrong with a host's token (RFC 8725, RFC 7515): none of it opens a session, and the caller never learns
 * which it was. One host signs by EC, one by RSA, and both list every algorithm we know, HMAC and none among them.
 */

const EC = "https://host-airline.example";
const RSA = "https://rsa.example";
const ALGORITHMS = ["none", "HS256", "HS384", "HS512", "ES256", "RS256"];
const { d: _private, ...ecPublic } = hostAirline;

let service: TestService;
let rsa: CryptoKeyPair;
let stranger: CryptoKeyPair;

beforeAll(async () => {
  rsa = await generateKeyPair("RS256", { extractable: true });
  stranger = await generateKeyPair("ES256", { extractable: true });
  service = await startService();
  const keys = [{ ...(await exportJWK(rsa.publicKey)), kid: "rsa-1" }];
  const row = { audience: "taglatch", algorithms: ALGORITHMS };
  await service.db
    .update(federatedIssuers)
    .set({ algorithms: ALGORITHMS })
    .where(eq(federatedIssuers.issuer, EC));
  await service.db.insert(federatedIssuers).values({ issuer: RSA, jwks: { keys }, ...row });
  const trusted = { federatedIssuers: [EC, RSA] };
  await changeRow(service.db, clients, "client-passenger", trusted);
});
afterAll(async () => {
  // None of the forgeries below has opened anything.
  expect(await service.db.select().from(sessions)).toHaveLength(opened);
});
let opened = 0;

const seconds = () => Math.floor(service.now() / 1_000);
const claimsOf = (iss: string, changes: Record<string, unknown> = {}) => {
  const iat = seconds();
  return { iss, aud: "taglatch", sub: "s", iat, exp: iat + 300, ...changes };
};
type Header = Record<string, unknown> & { readonly alg: string };
const HEADER_EC = { alg: "ES256", kid: hostAirline.kid };
const hostKey = () => importJWK(hostAirline, "ES256");
const login = (token: string) => service.call("federatedSession", { token });

/** A token by the EC host's own key. */
const byHost = async (changes: Record<string, unknown> = {}, header: Header = HEADER_EC) =>
  new SignJWT(claimsOf(EC, changes)).setProtectedHeader(header).sign(await hostKey());
/** A token by a stranger's key under `header`. */
const byStranger = (header: Header, iss = EC) =>
  new SignJWT(claimsOf(iss)).setProtectedHeader(header).sign(stranger.privateKey);
/** A token MACed with public bytes. */
const maced = (alg: string, secret: string, iss: string, kid: string) =>
  new SignJWT(claimsOf(iss)).setProtectedHeader({ alg, kid }).sign(utf8(secret));
const raw = (header: object, claims: object, signature = "") =>
  `${base64url.encode(JSON.stringify(header))}.${base64url.encode(JSON.stringify(claims))}.${signature}`;
/** The host's own signature over any header at all, as jose would not make it. */
async function signedRaw(header: object): Promise<string> {
  const unsigned = raw(header, claimsOf(EC)).slice(0, -1);
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const signature = await crypto.subtle.sign(algorithm, (await hostKey()) as CryptoKey, utf8(unsigned));
  return `${unsigned}.${base64url.encode(new Uint8Array(signature))}`;
}
/** An access token of ours, but for its type. */
function byOurselves(): Promise<string> {
  const { kid, key } = service.settings.accessTokenKeys.signing;
  return new SignJWT(claimsOf("taglatch")).setProtectedHeader({ alg: "ES256", kid }).sign(key);
}

const FORGERIES: readonly (readonly [string, () => Promise<string> | string])[] = [
  ["alg none without a signature", () => raw({ alg: "none" }, claimsOf(EC))],
  ["an HMAC by the EC key's JWK", () => maced("HS256", JSON.stringify(ecPublic), EC, hostAirline.kid)],
  [
    "the other host's key",
    () => new SignJWT(claimsOf(EC)).setProtectedHeader({ alg: "RS256", kid: "rsa-1" }).sign(rsa.privateKey),
  ],
  [
    "an algorithm the host does not use",
    async () =>
      new SignJWT(claimsOf(RSA))
        .setProtectedHeader({ alg: "RS384", kid: "rsa-1" })
        .sign(await importJWK(await exportJWK(rsa.privateKey), "RS384")),
  ],
  ["a stranger's signature", () => byStranger(HEADER_EC)],
  ["an unknown critical extension", () => signedRaw({ ...HEADER_EC, crit: ["x"], x: 1 })],
  ["the other host's name", () => byHost({ iss: RSA })],
  ["no issuer", () => byHost({ iss: undefined })],
  ["another audience", () => byHost({ aud: "another" })],
  ["no audience", () => byHost({ aud: undefined })],
  ["no expiry", () => byHost({ exp: undefined })],
  ["an expiry in the past", () => byHost({ exp: seconds() - 1 })],
  ["a start in the future", () => byHost({ nbf: seconds() + 61 })],
  ["no subject", () => byHost({ sub: undefined })],
  ["a blank subject", () => byHost({ sub: "" })],
  ["a key confirmation without a key", () => byHost({ cnf: {} })],
  [
    "a key confirmation of another curve",
    () => byHost({ cnf: { jwk: { kty: "EC", crv: "P-384", x: "AA", y: "AA" } } }),
  ],
  ["our own name and key", () => byOurselves()],
];

describe("a host's token", () => {
  it.each(FORGERIES)("with %s opens nothing", async (_, forge) => {
    const answer = await login(await forge());
    expectError(answer, "invalid_federated_token");
    expect(answer.body).toMatchObject({ message: "The host token was not accepted.", errors: [] });
    expect(await lastAudit(service)).toMatchObject({
      event: "invalid_federated_token",
      reason: expect.stringMatching(/\S/),
    });
  });

  it.each<[string, () => Promise<string>]>([
    ["by the EC host", () => byHost()],
    [
      "by the RSA host",
      () =>
        new SignJWT(claimsOf(RSA)).setProtectedHeader({ alg: "RS256", kid: "rsa-1" }).sign(rsa.privateKey),
    ],
    ["without a kid, where the host has one key", () => byHost({}, { alg: "ES256" })],
    [
      "with jku and x5u, which are not followed",
      () => byHost({}, { ...HEADER_EC, jku: "https://evil.example/", x5u: "https://evil.example/" }),
    ],
  ])("%s opens a session", async (_, sign) => {
    expect((await login(await sign())).status).toBe(200);
    opened += 1;
  });
});

describe("the number of a host's token", () => {
  const byRsa = (changes: Record<string, unknown>) =>
    new SignJWT(claimsOf(RSA, changes))
      .setProtectedHeader({ alg: "RS256", kid: "rsa-1" })
      .sign(rsa.privateKey);

  it("is the host's own: another host's token of the same number opens a session as well", async () => {
    expect((await login(await byHost({ jti: "7" }))).status).toBe(200);
    expect((await login(await byRsa({ jti: "7" }))).status).toBe(200);
    opened += 2;
  });

  it("is remembered until the token has ended, not a millisecond less", async () => {
    await service.db.delete(usedOnce);
    const exp = seconds() + 300.000_1;
    expect((await login(await byHost({ jti: "8", exp }))).status).toBe(200);
    opened += 1;
    const rows = await service.db.select().from(usedOnce);
    expect(rows.map(({ endsAt }) => endsAt)).toEqual([Math.floor(exp * 1_000) + 1]);
  });
});

describe("a host whose tokens must be young", () => {
  const age = (maxAgeSeconds: number | null) => service.db.update(federatedIssuers).set({ maxAgeSeconds });
  beforeAll(() => age(300));
  afterAll(() => age(null));

  it.each<[string, () => Record<string, unknown>]>([
    ["301 seconds old", () => ({ iat: seconds() - 301, exp: seconds() + 3_600 })],
    ["from the future", () => ({ iat: seconds() + 61 })],
    ["undated", () => ({ iat: undefined })],
  ])("is not believed where a token is %s", async (_, changes) => {
    expectError(await login(await byHost(changes())), "invalid_federated_token");
  });

  it.each([-300, 0, 60])("is believed to the last second, and a minute ahead: %i", async (age) => {
    const [iat, exp] = [seconds() + age, seconds() + 3_600];
    const token = await byHost({ iat, exp, ...(age > 0 && { nbf: iat }) });
    expect((await login(token)).status).toBe(200);
    opened += 1;
  });
});
