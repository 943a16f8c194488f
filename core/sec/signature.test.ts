import { describe, expect, it } from "vitest";
import { type Bytes, fromHex } from "../encoding/bytes.ts";
import { ED25519, ES256, type SignatureScheme } from "./signature.ts";
import { flipped } from "./test-support/parties.ts";

const P256 = { name: "ECDSA", namedCurve: "P-256" } as const;
const P384 = { name: "ECDSA", namedCurve: "P-384" } as const;
const pairOf = async (algorithm: typeof P256 | typeof P384 | "Ed25519") =>
  (await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"])) as CryptoKeyPair;

const DATA = fromHex("0102");

describe.each<[string, SignatureScheme, typeof P256 | "Ed25519", typeof P384 | typeof P256 | "Ed25519"]>([
  ["ES256", ES256, P256, "Ed25519"],
  ["ES256 beside another curve", ES256, P256, P384],
  ["Ed25519", ED25519, "Ed25519", P256],
])("%s", (_name, scheme, own, other) => {
  async function signed() {
    const pair = await pairOf(own);
    return { pair, signature: await scheme.sign(pair.privateKey, DATA) };
  }

  it("makes raw signatures of 64 bytes that verify", async () => {
    const { pair, signature } = await signed();
    expect(signature.length).toBe(64);
    expect(await scheme.verify(pair.publicKey, signature, DATA)).toBe(true);
  });

  it("does not verify other data, another signature or another length", async () => {
    const { pair, signature } = await signed();
    const verify = (candidate: Bytes, data = DATA) => scheme.verify(pair.publicKey, candidate, data);
    expect(await verify(signature, fromHex("0103"))).toBe(false);
    for (const at of [0, 255, 256, 511]) expect(await verify(flipped(signature, at))).toBe(false);
    expect(await verify(signature.slice(0, 63))).toBe(false);
    expect(await verify(new Uint8Array())).toBe(false);
  });

  it("is false, not an exception, for a key of another kind", async () => {
    const { signature } = await signed();
    const stranger = await pairOf(other);
    expect(await scheme.verify(stranger.publicKey, signature, DATA)).toBe(false);
  });
});
