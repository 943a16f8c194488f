import { describe, expect, it } from "vitest";
import { fromHex, toBase64, toBase64Url, toHex } from "../encoding/bytes.ts";
import vectors from "../vectors/token.json" with { type: "json" };
import { isRefusedChanged, isSignedAlike, keysOf } from "./test-support/signed-vectors.ts";
import {
  decodeToken,
  nonceBytes,
  signToken,
  TOKEN_LIMIT,
  type TokenClaims,
  verifyTokenSignature,
} from "./token.ts";

const BYTE_CLAIMS = ["cti", "nonce", "cnfSpkiSha256", "channelBinding", "payloadDigest"];

/** The vectors' claims have bytes as hex. */
function claimsOf(json: Record<string, unknown>): TokenClaims {
  const entries = Object.entries(json).map(([name, value]) => {
    return [name, BYTE_CLAIMS.includes(name) ? fromHex(value as string) : value];
  });
  return Object.fromEntries(entries) as TokenClaims;
}

const { publicKey, privateKey } = await keysOf(vectors.key);
const TOKEN = { code: "TOKEN_FORMAT", decode: decodeToken, verify: verifyTokenSignature, publicKey } as const;

describe.each(vectors.valid)("the token of another implementation with $name", (vector) => {
  it("decodes to its claims and key id", () => {
    const { kid, claims, toBeSigned } = decodeToken(fromHex(vector.token));
    expect(kid).toBe(vector.kid);
    expect(claims).toEqual(claimsOf(vector.claims));
    expect(toHex(toBeSigned)).toBe(vector.toBeSigned);
  });

  isSignedAlike(TOKEN, fromHex(vector.token), () =>
    signToken(claimsOf(vector.claims), { kid: vector.kid, privateKey }),
  );
});

it.each(vectors.refused)("refuses a token with $name", ({ token }) => {
  expect(() => decodeToken(fromHex(token))).toThrow(expect.objectContaining({ code: "TOKEN_FORMAT" }));
});

it.each(vectors.badSignature)(
  "decodes a token with a signature $name, which does not verify",
  async ({ token }) => {
    expect(await verifyTokenSignature(decodeToken(fromHex(token)), publicKey)).toBe(false);
  },
);

const full = vectors.valid[1] as (typeof vectors.valid)[number];

describe("a whole token", () => isRefusedChanged(TOKEN, fromHex(full.token)));

it.each([
  ["a nonce of 15 bytes", { nonce: new Uint8Array(15) }],
  ["a cti of 9 bytes", { cti: new Uint8Array(9) }],
  ["a lifetime over 120 s", { ttl: 121 }],
  ["no lifetime", { ttl: 0 }],
  ["an empty device id", { aud: "" }],
  ["an end before its beginning", { exp: 1 }],
  ["a digest of 20 bytes", { payloadDigest: new Uint8Array(20) }],
  ["a text too long for a tag", { iss: "x".repeat(1000) }],
])("does not sign claims with %s", async (_, change) => {
  const claims = { ...claimsOf(full.claims), ...change };
  await expect(signToken(claims, { kid: "kid-1", privateKey })).rejects.toMatchObject({
    code: "TOKEN_FORMAT",
  });
});

it("has room for the longest device id the service takes", async () => {
  const claims = { ...claimsOf(full.claims), aud: "行".repeat(128), iss: "https://taglatch.example/issuer" };
  expect(decodeToken(await signToken(claims, { kid: "kid-1", privateKey })).claims.aud).toBe(claims.aud);
});

it("stays within 280 bytes with every claim and a short device id", () => {
  expect(full.token.length / 2).toBeLessThanOrEqual(280);
});

describe("nonceBytes", () => {
  const sixteen = fromHex("fbefbe00112233445566778899aabbff");

  it.each([
    ["base64url", toBase64Url(sixteen)],
    ["base64url with padding", `${toBase64Url(sixteen)}==`],
    ["base64", toBase64(sixteen)],
    ["base64 without padding", toBase64(sixteen).slice(0, 22)],
    ["hex", toHex(sixteen)],
    ["upper-case hex", toHex(sixteen).toUpperCase()],
  ])("reads 16 bytes in %s", async (_, text) => {
    expect(toHex(await nonceBytes(text))).toBe(toHex(sixteen));
  });

  // First 16 bytes of SHA-256 of the UTF-8 text, by Python's hashlib.
  it.each([
    ["a short text", "nonce", "78377b525757b494427f89014f97d799"],
    ["both alphabets at once", "-_+/AAAAAAAAAAAAAAAAAA", "a7919c16f5add96aabe7c0a7d95ffd13"],
    ["surplus bits in the last character", "AAAAAAAAAAAAAAAAAAAAAB", "0a71cfb23233063a00713cd4bf22ea06"],
    ["one padding character", "AAAAAAAAAAAAAAAAAAAAAA=", "3288a1b6de0962ebde78dd91746950f3"],
    ["31 hex digits", "0".repeat(31), "f08d28edd4251370855e84d9cf7e522c"],
    ["a line end after 22 characters", "AAAAAAAAAAAAAAAAAAAAAA\n", "e49ff8fc09127f458830d7328b0aaabe"],
    ["33 hex digits", "0".repeat(33), "54f05a87f5b881780cdc40e3fddfebf7"],
    ["a letter before 32 hex digits", `x${"0".repeat(32)}`, "c07700a6a0f73a2b987c190ce01b993d"],
    ["23 characters of base64", "A".repeat(23), "1786ac1492c6c922c2734e4d3d8e9b03"],
    ["256 characters", "é".repeat(256), "57ed0ef12199207a92e3484cdf02cc0d"],
  ])("hashes %s", async (_, text, digest) => {
    expect(toHex(await nonceBytes(text))).toBe(digest);
  });
});

const tokenFor = (aud: string) => signToken({ ...claimsOf(full.claims), aud }, { kid: "k1", privateKey });

it("a token of 1,024 bytes is signed and read, one of 1,025 is not", async () => {
  const { length } = await tokenFor("a".repeat(300));
  const longest = "a".repeat(300 + TOKEN_LIMIT.bytes - length);
  const token = await tokenFor(longest);
  expect([token.length, TOKEN_LIMIT.bytes]).toEqual([1_024, 1_024]);
  expect(decodeToken(token).claims.aud).toBe(longest);
  await expect(tokenFor(`${longest}a`)).rejects.toMatchObject({ code: "TOKEN_FORMAT" });
});

it("what is wrong with a token is said for developers", () => {
  const [refused] = vectors.refused.filter(({ name }) => name === "ttl 121");
  expect(() => decodeToken(fromHex(refused?.token ?? ""))).toThrow("TOKEN_FORMAT: lifetime");
});
