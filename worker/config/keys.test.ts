import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import {
  importDatedKeys,
  importHmacKey,
  importKeyRing,
  importPushKey,
  privateJwk,
  secret32,
} from "./keys.ts";

/** What the vars' keys may look like, and what they are good for once they are imported. */

const [A] = JSON.parse(String(env.ACCESS_TOKEN_KEYS)).keys;
const [B] = JSON.parse(String(env.TRANSACTION_TOKEN_KEYS)).keys;
const without = (name: string) => ({ ...A, [name]: undefined });
const ES256 = { name: "ECDSA", hash: "SHA-256" };
const CONTENT = new Uint8Array([1, 2, 3]);

describe("a key ring", () => {
  it("signs with its first key, and verifies with all of them", async () => {
    const ring = await importKeyRing(JSON.stringify({ keys: [A, B] }));
    expect([ring.signing.kid, ...ring.verifying.keys()]).toEqual([A.kid, A.kid, B.kid]);
    const signature = await crypto.subtle.sign(ES256, ring.signing.key, CONTENT);
    const verified = [...ring.verifying.values()].map((key) =>
      crypto.subtle.verify(ES256, key, signature, CONTENT),
    );
    expect(await Promise.all(verified)).toEqual([true, false]);
  });

  it("publishes what is public of each key", async () => {
    const { published } = await importKeyRing(JSON.stringify({ keys: [A, B] }));
    const common = { kty: "EC", crv: "P-256", alg: "ES256", use: "sig" };
    expect(published).toEqual([A, B].map(({ kid, x, y }) => ({ ...common, kid, x, y })));
  });

  it("never exports its private key, and its keys are for one use", async () => {
    const { signing, verifying } = await importKeyRing(JSON.stringify({ keys: [A] }));
    expect(signing.key).toMatchObject({ type: "private", extractable: false, usages: ["sign"] });
    expect(verifying.get(A.kid)).toMatchObject({ type: "public", extractable: true, usages: ["verify"] });
  });

  it.each<[string, string, unknown]>([
    ["null", "not a JWKS", null],
    ["without keys", "not a JWKS", {}],
    ["empty", "no key", { keys: [] }],
    ["of keys that are null", "a key without kid", { keys: [null] }],
    ["of keys without a name", "a key without kid", { keys: [without("kid")] }],
    ["of a key without x", "not a private JWK", { keys: [without("x")] }],
    ["of public keys", "not a private JWK", { keys: [without("d")] }],
    ["of two keys of one name", "two keys of one kid", { keys: [A, { ...B, kid: A.kid }] }],
  ])("is none where it is %s", async (_, message, value) => {
    await expect(importKeyRing(JSON.stringify(value))).rejects.toThrow(new TypeError(message));
  });
});

it.each(["null", "7", "{}"])("%s is no private key", (json) => {
  expect(() => privateJwk(json)).toThrow(new TypeError("not a private JWK"));
});

it("a key for Web Push is known by the point that its signatures are checked by", async () => {
  const { key, publicKey } = await importPushKey(JSON.stringify(A));
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const point = await crypto.subtle.importKey("raw", fromBase64Url(publicKey), curve, false, ["verify"]);
  const signature = await crypto.subtle.sign(ES256, key, CONTENT);
  expect(await crypto.subtle.verify(ES256, point, signature, CONTENT)).toBe(true);
});

describe("dated keys", () => {
  const [NEW, OLD] = ["A".repeat(43), `${"B".repeat(42)}A`];

  it("are those of the text, newest first, each with the second from which it was used", async () => {
    const keys = await importDatedKeys(`2000000000.${NEW}  30.${OLD}\n7.${NEW}`);
    expect(keys.map(({ since }) => since)).toEqual([2_000_000_000, 30, 7]);
    const signed = async (key: CryptoKey | undefined) =>
      new Uint8Array(await crypto.subtle.sign("HMAC", key as CryptoKey, CONTENT));
    expect(await signed(keys[0]?.key)).toEqual(await signed(await importHmacKey(NEW)));
    expect(await signed(keys[1]?.key)).toEqual(await signed(await importHmacKey(OLD)));
  });

  it.each<[string, string, string]>([
    ["nothing", "not a dated key", ""],
    ["a key without a date", "not a dated key", NEW],
    ["something before the date", "not a dated key", `x7.${NEW}`],
    ["a date of eleven digits", "not a dated key", `20000000000.${NEW}`],
    ["something after the key", "not a dated key", `7.${NEW}=`],
    ["a key that is too short", "not 32 bytes", "7.AAAA"],
    ["the older first", "not newest first", `7.${NEW} 30.${OLD}`],
    ["two of one second", "not newest first", `7.${NEW} 7.${OLD}`],
  ])("are none where the text has %s", async (_, message, text) => {
    await expect(importDatedKeys(text)).rejects.toThrow(new TypeError(message));
  });
});

describe("a secret", () => {
  it("is 32 bytes", () => {
    expect(secret32("A".repeat(43))).toEqual(new Uint8Array(32));
    for (const text of ["A".repeat(42), "A".repeat(44)])
      expect(() => secret32(text)).toThrow(new TypeError("not 32 bytes"));
  });

  it("makes a key for HMAC with SHA-256 that is not extractable", async () => {
    const key = await importHmacKey("A".repeat(43));
    expect(key).toMatchObject({ extractable: false, usages: ["sign"] });
    expect(key.algorithm).toMatchObject({ name: "HMAC", hash: { name: "SHA-256" } });
  });
});
