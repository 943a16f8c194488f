import { describe, expect, it } from "vitest";
import { type Bytes, toBase64Url } from "../encoding/bytes.ts";
import { SUITES } from "./suites.ts";
import { importTokenKeys, type TokenJwk } from "./token-check.ts";

/** Keys that are good, but for something else. */
const SIGNATURE: Bytes = new Uint8Array(64).fill(1);
const DATA = Uint8Array.of(1, 2);
const publicKeyFor = async (algorithm: AlgorithmIdentifier | EcKeyGenParams, usages: KeyUsage[]) =>
  ((await crypto.subtle.generateKey(algorithm, false, usages)) as CryptoKeyPair).publicKey;

describe("a signature is false, not an exception", () => {
  it.each([
    ["for a key of the same curve that agrees and does not sign", { name: "ECDH", namedCurve: "P-256" }],
    ["for a key without a curve that agrees and does not sign", { name: "X25519" }],
  ])("%s", async (_name, algorithm) => {
    const key = await publicKeyFor(algorithm, ["deriveBits"]);
    for (const suite of [SUITES[6], SUITES[0]])
      expect(await suite.signature.verify(key, SIGNATURE, DATA)).toBe(false);
  });

  it("for a key on another curve", async () => {
    const key = await publicKeyFor({ name: "ECDSA", namedCurve: "P-384" }, ["sign", "verify"]);
    expect(await SUITES[6].signature.verify(key, SIGNATURE, DATA)).toBe(false);
  });
});

describe("a token key", () => {
  const coordinate = toBase64Url(new Uint8Array(32));

  it.each<[string, Omit<TokenJwk, "kid">]>([
    ["without x", { kty: "EC", crv: "P-256", y: coordinate }],
    ["without y", { kty: "EC", crv: "P-256", x: coordinate }],
    ["on another curve", { kty: "EC", crv: "P-384", x: coordinate, y: coordinate }],
    ["of another kind", { kty: "OKP", crv: "P-256", x: coordinate, y: coordinate }],
  ])("%s is refused before any engine sees it", async (_name, jwk) => {
    await expect(importTokenKeys([{ ...jwk, kid: "k1" }])).rejects.toThrow("not a P-256 key");
  });
});
