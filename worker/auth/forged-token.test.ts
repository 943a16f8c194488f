import { env } from "cloudflare:workers";
import {
  decodeJwt,
  type CryptoKey as JoseKey,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { toBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import { rowsIn } from "../test-support/database.ts";
import { guestSession, type TestSession } from "../test-support/logins.ts";
import {
  type Answer,
  expectError,
  PASSENGER_KEY,
  startService,
  type TestService,
} from "../test-support/service.ts";

/** Access tokens that an attacker made, or that the service made for another purpose. */

let service: TestService;
let session: TestSession;
let claims: JWTPayload;

beforeAll(async () => {
  service = await startService();
  session = await guestSession(service);
  claims = decodeJwt(session.accessToken);
});

const kid = () => service.settings.accessTokenKeys.signing.kid;
const ownKey = () => service.settings.accessTokenKeys.signing.key;

function sign(
  change: JWTPayload,
  header: Partial<JWTHeaderParameters> = {},
  key: JoseKey | Uint8Array = ownKey(),
) {
  const payload = Object.fromEntries(
    Object.entries({ ...claims, ...change }).filter(([, value]) => value !== undefined),
  );
  return new SignJWT(payload)
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: kid(), ...header })
    .sign(key, { crit: { x: true } });
}

const encoded = (value: unknown) => toBase64Url(utf8(JSON.stringify(value)));
const without = (name: string): JWTPayload => ({ [name]: undefined });
const parts = () => session.accessToken.split(".") as [string, string, string];
const seconds = () => Math.floor(service.now() / 1_000);

function lookup(authorization: string): Promise<Answer> {
  const headers = { "X-Source-App-Key": PASSENGER_KEY, Authorization: authorization };
  return service.post("/v2/ebt-lookups", { uniqueDeviceId: "ebt-21-0001" }, headers);
}

const FORGED: Readonly<Record<string, () => string | Promise<string>>> = {
  "whose signature was cut off": () => parts().slice(0, 2).join("."),
  "whose signature is empty": () => `${parts().slice(0, 2).join(".")}.`,
  "whose claims were changed": () =>
    [parts()[0], encoded({ ...claims, sub: "someone" }), parts()[2]].join("."),
  "that asks for no algorithm": () => `${encoded({ alg: "none", typ: "at+jwt", kid: kid() })}.${parts()[1]}.`,
  "that uses the public key as a shared secret": () =>
    sign({}, { alg: "HS256" }, utf8(JSON.stringify(service.settings.accessTokenKeys.published[0]))),
  "signed by the caller's own key, which it brings along": () =>
    sign({}, { jwk: session.app.jwk }, session.app.privateKey),
  "signed by the caller's own key under our key's name": () => sign({}, {}, session.app.privateKey),
  "signed by the key of transaction tokens": () =>
    sign({}, {}, service.settings.transactionTokenKeys.signing.key),
  "signed by the key of transaction tokens under its name": () =>
    sign(
      {},
      { kid: service.settings.transactionTokenKeys.signing.kid },
      service.settings.transactionTokenKeys.signing.key,
    ),
  "without a key's name": () => sign({}, { kid: undefined } as never),
  "under a key's name that is a path": () => sign({}, { kid: "../../dev/null" }),
  "of another type": () => sign({}, { typ: "JWT" }),
  "that must be understood in a way we do not": () => sign({}, { crit: ["x"], x: 1 }),
  "for another audience": () => sign({ aud: "elsewhere" }),
  "of another issuer": () => sign({ iss: "elsewhere" }),
  "for another person": () => sign({ sub: "someone" }),
  "of a session that never was": () => sign({ jti: `${"A".repeat(24)}.${"A".repeat(12)}` }),
  "without an end": () => sign(without("exp")),
  "without a date": () => sign(without("iat")),
  "whose session has something before its name": () => sign({ jti: `A${claims.jti}` }),
  "whose session has something after its name": () => sign({ jti: `${claims.jti}A` }),
  "without a session": () => sign(without("jti")),
  "without a person": () => sign(without("sub")),
  "that has just ended": () => sign({ exp: seconds() }),
  "that is not valid yet": () => sign({ nbf: seconds() + 60 }),
  "that is the refresh token": () => session.refreshToken,
};

describe("an access token", () => {
  it("that is ours opens the door these cases knock at", async () => {
    expect((await lookup(`Bearer ${session.accessToken}`)).status).not.toBe(401);
    expect((await lookup(`bearer ${await sign({})}`)).status).not.toBe(401);
  });

  it.each(Object.entries(FORGED))("%s is refused", async (_, forge) => {
    const before = await rowsIn(env.DB);
    const answer = await lookup(`Bearer ${await forge()}`);
    const expected =
      answer.body.errorCode === "invalid_dpop_proof" ? "invalid_dpop_proof" : "unauthorized_token";
    expectError(answer, expected);
    expect(answer.headers.get("WWW-Authenticate")).toContain("error=");
    expect(await rowsIn(env.DB)).toEqual(before);
  });

  it.each<[string, string]>([
    ["that uses the public key as a shared secret", "ERR_JOSE_ALG_NOT_ALLOWED"],
    ["under a key's name that is a path", "ERR_JWKS_NO_MATCHING_KEY"],
    ["without a session", "ERR_JWT_INVALID"],
    ["of a session that never was", "no session"],
    ["that has just ended", "ERR_JWT_EXPIRED"],
  ])("%s has its reason in the log line", async (name, reason) => {
    await lookup(`Bearer ${await FORGED[name]?.()}`);
    expect(service.log.at(-1)).toMatchObject({ reason });
  });

  it.each<[string, (token: string) => string]>([
    ["without a scheme", (token) => token],
    ["under another scheme", (token) => `Basic ${token}`],
    ["behind something else", (token) => `x Bearer ${token}`],
    ["under DPoP, though the session is not bound", (token) => `DPoP ${token}`],
    ["twice", (token) => `Bearer ${token}, Bearer ${token}`],
    ["with something after it", (token) => `Bearer ${token} ${token}`],
    ["in quotes", (token) => `Bearer "${token}"`],
  ])("%s is refused", async (_, spell) => {
    expectError(await lookup(spell(session.accessToken)), "unauthorized_token");
  });

  it("is not looked for in the query or the body", async () => {
    const body = { uniqueDeviceId: "x", access_token: session.accessToken };
    const path = `/v2/ebt-lookups?access_token=${session.accessToken}`;
    expectError(await service.post(path, body, { "X-Source-App-Key": PASSENGER_KEY }), "unauthorized_token");
  });
});
