import { describe, expect, it, vi } from "vitest";
import { type Bytes, fromHex, toBase64Url } from "../encoding/bytes.ts";
import vectors from "../vectors/token.json" with { type: "json" };
import type { SecErrorCode } from "./errors.ts";
import { honestClaims, honestExpectations, IAT, NONCE, tokenKeyPair } from "./test-support/honest-token.ts";
import { signToken, type TokenClaims } from "./token.ts";
import { checkToken, importTokenKeys, type TokenExpectations } from "./token-check.ts";

const filled = (length: number, value: number): Bytes => new Uint8Array(length).fill(value);
const SPKI = filled(91, 1);
const BINDING = filled(32, 4);

const [{ privateKey, publicKey }, { privateKey: strangerKey }] = [await tokenKeyPair(), await tokenKeyPair()];
const keys = await importTokenKeys([{ ...(await crypto.subtle.exportKey("jwk", publicKey)), kid: "k1" }]);
const claims = await honestClaims(SPKI, BINDING);

const expectations = (change: Partial<TokenExpectations> = {}): TokenExpectations => ({
  ...honestExpectations(SPKI, BINDING),
  ...{ keys, ...change },
});

/** `claims` with some changed, and some (undefined) taken away. */
function claimsWith(change: { [name in keyof TokenClaims]?: TokenClaims[name] | undefined }): TokenClaims {
  const entries = Object.entries({ ...claims, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as unknown as TokenClaims;
}

type Change = Parameters<typeof claimsWith>[0];

const sign = (change: Change = {}, kid = "k1", key = privateKey) =>
  signToken(claimsWith(change), { kid, privateKey: key });

const V20: Change = { version: undefined, channelBinding: undefined };
const OTHER = filled(32, 9);

// What the tokens of sec-refusals.json do not have.
it("a token with every claim is accepted", async () => {
  expect(await checkToken(await sign(), expectations())).toEqual(claims);
});

it.each<[string, Change, Partial<TokenExpectations>]>([
  ["by a tag that does not know the operation yet", {}, { operation: undefined } as never],
  ["at the last instant of any nonce's life", {}, { nonceLifetime: 1000 }],
  ["at the leaf's last second", { iat: IAT + 86_400, exp: IAT + 86_520 }, {}],
  [
    "on v2.0 without a version while the tag serves v2.0",
    V20,
    { path: "2.0", channelBinding: undefined } as never,
  ],
])("a token is accepted %s", async (_, change, expected) => {
  await expect(checkToken(await sign(change), expectations(expected))).resolves.toBeDefined();
});

it.each<[SecErrorCode, string, Change, Partial<TokenExpectations>]>([
  ["TOKEN_EXPIRED", "when the nonce is older than any may be", {}, { nonceLifetime: 999 }],
  ["TOKEN_BINDING", "of a session, where there is none", {}, { channelBinding: undefined } as never],
  ["TOKEN_BINDING", "of a session, on v2.0 though the tag has one", { version: "2.0" }, { path: "2.0" }],
  ["CRED_TIME", "issued after the client's certificate", { iat: IAT + 86_401, exp: IAT + 86_500 }, {}],
])("%s: refuses a token %s", async (code, _, change, expected) => {
  await expect(checkToken(await sign(change), expectations(expected))).rejects.toMatchObject({ code });
});

describe("the order of the checks", () => {
  // Each row is wrong in its own way and in all that follow; the next row repairs it. So each code must win over the rest.
  const worst = (): { change: Change; kid: string; expected: Partial<TokenExpectations> } => ({
    change: {
      aud: "x",
      nonce: filled(16, 9),
      version: "2.0",
      ttl: 1,
      channelBinding: OTHER,
      operation: "clear",
    },
    kid: "unknown",
    expected: { lastSeen: IAT + 999, takeNonce: () => ({ value: NONCE, age: 60_000 }) },
  });
  const repairs: readonly [SecErrorCode, Partial<ReturnType<typeof worst>>][] = [
    ["TOKEN_KID", {}],
    ["TOKEN_AUD", { kid: "k1" }],
    ["TOKEN_NONCE", { change: { aud: "ebt-21-0001" } }],
    ["VERSION", { change: { nonce: NONCE } }],
    ["TOKEN_EXPIRED", { change: { version: "2.1" } }],
    ["TOKEN_BINDING", { change: { ttl: 120 } }],
    ["TOKEN_SIG", { change: { channelBinding: BINDING } }],
  ];

  it("is kid, device, nonce, version, age, bindings, signature", async () => {
    const state = worst();
    for (const [code, repair] of repairs) {
      Object.assign(state.change, repair.change);
      state.kid = repair.kid ?? state.kid;
      const token = await sign(state.change, state.kid, strangerKey);
      await expect(checkToken(token, expectations(state.expected)), code).rejects.toMatchObject({ code });
    }
  });

  it("then operation, then time", async () => {
    const expected = expectations({ lastSeen: IAT + 999 });
    await expect(checkToken(await sign({ operation: "clear" }), expected)).rejects.toMatchObject({
      code: "TOKEN_BINDING",
    });
    await expect(checkToken(await sign(), expected)).rejects.toMatchObject({ code: "TOKEN_REPLAY" });
  });

  it("reads the structure before it looks at any key", async () => {
    const token = await sign();
    const expected = expectations({ keys: new Map() });
    await expect(checkToken(token.slice(1), expected)).rejects.toMatchObject({ code: "TOKEN_FORMAT" });
  });
});

describe("the nonce", () => {
  it.each<[string, Change]>([
    ["a hit", {}],
    ["a miss", { nonce: filled(16, 9) }],
    ["a hit that fails later", { channelBinding: OTHER }],
  ])("is taken once on %s", async (_, change) => {
    const takeNonce = vi.fn(() => ({ value: NONCE, age: 0 }));
    await checkToken(await sign(change), expectations({ takeNonce })).catch(() => undefined);
    expect(takeNonce).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Change, string]>([
    ["another tag", { aud: "x" }, "k1"],
    ["an unknown key", {}, "k2"],
  ])("is not burnt by a token for %s", async (_, change, kid) => {
    const takeNonce = vi.fn(() => ({ value: NONCE, age: 0 }));
    await checkToken(await sign(change, kid), expectations({ takeNonce })).catch(() => undefined);
    expect(takeNonce).not.toHaveBeenCalled();
  });
});

describe("importTokenKeys", () => {
  const [x, y] = [toBase64Url(fromHex(vectors.key.x)), toBase64Url(fromHex(vectors.key.y))];
  const jwk = { kty: "EC", crv: "P-256", x, y, kid: "a" };

  it("imports public keys by kid and ignores declared uses", async () => {
    const imported = await importTokenKeys([
      { ...jwk, use: "sig", key_ops: ["verify"], alg: "ES256" },
      { ...jwk, kid: "b" },
    ]);
    expect([...imported.keys()]).toEqual(["a", "b"]);
    expect(imported.get("a")?.usages).toEqual(["verify"]);
  });

  it.each([
    ["two keys of one kid", [jwk, jwk]],
    ["an empty kid", [{ ...jwk, kid: "" }]],
    ["a key for another algorithm", [{ ...jwk, alg: "ES384" }]],
    ["another curve", [{ ...jwk, crv: "P-384" }]],
    ["a symmetric key", [{ kty: "oct", k: "AAAA", kid: "a" }]],
    ["half a key", [{ kty: "EC", crv: "P-256", x, kid: "a" }]],
  ])("refuses %s", async (_, jwks) => {
    await expect(importTokenKeys(jwks)).rejects.toThrow(TypeError);
  });

  it("refuses a point that is not on the curve", async () => {
    await expect(importTokenKeys([{ ...jwk, y: x }])).rejects.toThrow();
  });
});
