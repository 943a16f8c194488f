// The verifier reads certificates with @peculiar/x509, which needs this import first.
import "reflect-metadata/lite";
import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { describe, expect, it } from "vitest";
import { type Bytes, concat, fromBase64Url, toBase64Url } from "../../../core/encoding/bytes.ts";
import { assertion, cbor, coseOf, newPasskey, ORIGIN, registration } from "../../test-support/passkey.ts";
import { importCoseKey, isSignedBy } from "./cose-key.ts";

const bytes = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));

async function point(): Promise<{ x: Bytes; y: Bytes }> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
  const jwk = (await crypto.subtle.exportKey("jwk", (pair as CryptoKeyPair).publicKey)) as JsonWebKey;
  return { x: fromBase64Url(jwk.x ?? ""), y: fromBase64Url(jwk.y ?? "") };
}
const { x, y } = await point();
const E65537 = Uint8Array.of(1, 0, 1);
const modulus = (length: number) => bytes(length).map((byte, at) => (at === 0 ? byte | 0x80 : byte | 1));

describe("a key of an authenticator", () => {
  it.each<[string, Record<number, number | Bytes>]>([
    ["ES256", { 1: 2, 3: -7, [-1]: 1, [-2]: x, [-3]: y }],
    ["RS256 of 2,048 bits", { 1: 3, 3: -257, [-1]: modulus(256), [-2]: E65537 }],
    ["RS256 of 4,096 bits", { 1: 3, 3: -257, [-1]: modulus(512), [-2]: E65537 }],
  ])("is taken: %s", async (_, members) => {
    expect((await importCoseKey(coseOf(members))).key.type).toBe("public");
  });

  it.each<[string, Record<number, number | Bytes>]>([
    ["of another kind than its algorithm", { 1: 3, 3: -7, [-1]: 1, [-2]: x, [-3]: y }],
    ["on another curve", { 1: 2, 3: -7, [-1]: 2, [-2]: x, [-3]: y }],
    ["on X25519", { 1: 1, 3: -8, [-1]: 4, [-2]: x }],
    ["whose point is not on the curve", { 1: 2, 3: -7, [-1]: 1, [-2]: x, [-3]: x }],
    ["with a short coordinate", { 1: 2, 3: -7, [-1]: 1, [-2]: x.slice(1), [-3]: y }],
    ["RSA of 1,024 bits", { 1: 3, 3: -257, [-1]: modulus(128), [-2]: E65537 }],
    ["RSA that would take long to check", { 1: 3, 3: -257, [-1]: modulus(513), [-2]: E65537 }],
    ["RSA with a long exponent", { 1: 3, 3: -257, [-1]: modulus(256), [-2]: bytes(5) }],
  ])("is refused: %s", async (_, members) => {
    await expect(importCoseKey(coseOf(members))).rejects.toThrow();
  });

  it("is refused where a member comes twice, or is no map", async () => {
    const honest = coseOf({ 1: 2, 3: -7, [-1]: 1, [-2]: x, [-3]: y });
    const twice = concat(Uint8Array.of(0xa6), honest.slice(1), cbor(-3), cbor(y));
    await expect(importCoseKey(twice)).rejects.toThrow();
    await expect(importCoseKey(cbor("key"))).rejects.toThrow();
  });
});

/** SimpleWebAuthn, which shares nothing with us, and what we say of the same ceremonies. */
describe("of the ceremonies of a passkey that signs by", () => {
  const challenge = bytes(32);
  const expected = {
    expectedChallenge: toBase64Url(challenge),
    expectedOrigin: ORIGIN,
    expectedRPID: "localhost",
    requireUserVerification: true,
  };
  type Response = Parameters<typeof verifyAuthenticationResponse>[0]["response"];

  it.each(["ES256", "EdDSA", "RS256"] as const)("%s another implementation thinks as we do", async (kind) => {
    const passkey = await newPasskey(kind);
    const made = await registration(passkey, { challenge });
    const response = { ...made.registration, response: { ...made.registration.response, transports: [] } };
    const verified = await verifyRegistrationResponse({
      response: response as unknown as Parameters<typeof verifyRegistrationResponse>[0]["response"],
      ...expected,
      supportedAlgorithmIDs: [-7, -8, -257],
    });
    expect(toBase64Url(verified.registrationInfo?.credential.publicKey as Bytes)).toBe(
      toBase64Url(passkey.cose),
    );
    const other = await newPasskey(kind);
    for (const signer of [passkey.privateKey, other.privateKey]) {
      const { assertion: used } = await assertion(passkey, { challenge }, { counter: 1, signer });
      const credential = { id: used.id, publicKey: passkey.cose, counter: 0 };
      const theirs = await verifyAuthenticationResponse({
        response: used as unknown as Response,
        ...expected,
        credential,
      });
      const client = new Uint8Array(
        await crypto.subtle.digest("SHA-256", fromBase64Url(used.response.clientDataJSON)),
      );
      const data = Uint8Array.from([...fromBase64Url(used.response.authenticatorData), ...client]);
      const ours = await isSignedBy(passkey.cose, fromBase64Url(used.response.signature), data);
      expect([theirs.verified, ours]).toEqual(Array(2).fill(signer === passkey.privateKey));
    }
  });
});
