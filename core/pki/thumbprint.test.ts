import { describe, expect, it } from "vitest";
import { concat, fromBase64Url, fromHex, toBase64Url, toHex } from "../encoding/bytes.ts";
import transcripts from "../vectors/edhoc-method0-x5chain.json" with { type: "json" };
import {
  jwkThumbprint,
  jwkThumbprintText,
  p256Thumbprint,
  publicKeyThumbprint,
  readCertificate,
  spkiThumbprint,
} from "./certificate.ts";
import { fromPem, splitDer, toPem } from "./pem.ts";

// The key of RFC 7517 appendix A.1; thumbprints by Python's hashlib over hand-written bytes.
const jwk = {
  kty: "EC",
  crv: "P-256",
  x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
  y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
};
const SPKI = `3059301306072a8648ce3d020106082a8648ce3d03010703420004${toHex(fromBase64Url(jwk.x))}${toHex(fromBase64Url(jwk.y))}`;

const SPKI_DIGEST = "51b944cdfa544d4c3273aa6bf350625a7dd53bbb6a71723274f538b19a207760";
const JWK_THUMBPRINT = "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s";

it("hashes the SubjectPublicKeyInfo of a key", async () => {
  const key = await crypto.subtle.importKey("jwk", jwk, { name: "ECDSA", namedCurve: "P-256" }, true, [
    "verify",
  ]);
  expect(toHex(await publicKeyThumbprint(key))).toBe(SPKI_DIGEST);
  expect(toHex(await p256Thumbprint(jwk))).toBe(SPKI_DIGEST);
  expect(toHex(await spkiThumbprint(fromHex(SPKI)))).toBe(SPKI_DIGEST);
});

it("computes the RFC 7638 thumbprint, whatever else the key says", async () => {
  expect(await jwkThumbprintText({ ...jwk, ...{ use: "sig", kid: "1" } })).toBe(JWK_THUMBPRINT);
  expect(toBase64Url(await jwkThumbprint(jwk))).toBe(JWK_THUMBPRINT);
});

it.each([
  { ...jwk, crv: "P-384" },
  { ...jwk, kty: "OKP" },
  { kty: "EC", crv: "P-256", x: jwk.x },
  { kty: "EC", crv: "P-256", y: jwk.y },
])("has no thumbprint for %j", async (other) => {
  await expect(jwkThumbprint(other)).rejects.toThrow(TypeError);
});

it("writes PEM in lines of 64 characters and reads it back, with others around it", () => {
  const [one, two] = [new Uint8Array(50), new Uint8Array(48).fill(2)];
  const text = `note\n${toPem(one)}more\r\n${toPem(two).replaceAll("\n", "\r\n")}`;
  const lines = `${"A".repeat(64)}\nAAA=`;
  expect(toPem(one)).toBe(`-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`);
  expect(fromPem(text)).toEqual([one, two]);
  expect(fromPem("")).toEqual([]);
});

it("reads certificates alone, whatever keys and requests stand beside them", () => {
  const certificate = toPem(new Uint8Array(9));
  const key = certificate.replaceAll("CERTIFICATE", "PRIVATE KEY");
  const request = certificate.replaceAll("CERTIFICATE", "CERTIFICATE REQUEST");
  expect(fromPem(key + certificate + request)).toEqual([new Uint8Array(9)]);
});

it("refuses PEM that is not base64", () => {
  const text = toPem(new Uint8Array(9)).replace("AAAA", "A*AA");
  expect(() => fromPem(text)).toThrow(expect.objectContaining({ code: "CHAIN" }));
});

const refusal = expect.objectContaining({ code: "CHAIN" });

describe("splitDer", () => {
  const chain = transcripts.suite6_chain2_both.initiator_chain_der.map(fromHex);

  it("splits concatenated certificates in the order given", () => {
    const parts = splitDer(concat(...chain));
    expect(parts.map(toHex)).toEqual(chain.map(toHex));
  });

  it("gives parts that own their buffers", () => {
    const joined = concat(...chain);
    const [first] = splitDer(joined);
    joined.fill(0);
    expect(first?.[0]).toBe(0x30);
    expect(first?.buffer.byteLength).toBe(chain[0]?.length);
  });

  it.each([
    ["nothing", ""],
    ["a SET", "3100"],
    ["a certificate that ends too early", "300201"],
    ["a byte after the last", "300000"],
    ["a tag without length", "30"],
    ["an indefinite length", "30800000"],
    ["a padded length of one byte", "30817f".padEnd(6 + 254, "0")],
    ["a padded length of two bytes", "308200ff".padEnd(8 + 510, "0")],
    ["a length of three bytes", "3083010000"],
    ["a length cut off", "308201"],
    ["a long tag", "3f8100"],
  ])("refuses %s", (_, hex) => {
    expect(() => splitDer(fromHex(hex))).toThrow(refusal);
  });

  it.each([0, 1, 127, 128, 255, 256, 65_535])("reads a content of %i bytes", (length) => {
    const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
    const value = concat(Uint8Array.of(0x30, ...head), new Uint8Array(length));
    expect(splitDer(value)).toHaveLength(1);
  });
});

describe("certificates of two other implementations' transcripts", () => {
  it.each([
    ...transcripts.suite6_chain2_both.initiator_chain_der,
    ...transcripts.suite6_chain2_both.responder_chain_der,
    transcripts.suite6_chain2_both.trust_anchor_der,
  ])("are read: %s", (hex) => {
    expect(readCertificate(fromHex(hex)).spki).toHaveLength(91);
  });
});
