import { expect, it } from "vitest";
import { fromHex, toHex } from "../encoding/bytes.ts";
import vectors from "../vectors/token.json" with { type: "json" };
import { decodeToken, nonceBytes, signToken, TOKEN_LIMIT } from "./token.ts";

const IAT = Date.UTC(2026, 10, 21) / 1_000;

async function tokenFor(aud: string) {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const keys = (await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"])) as CryptoKeyPair;
  const claims = { iss: "taglatch", aud, exp: IAT + 60, iat: IAT, cti: new Uint8Array(8), ttl: 60 };
  return signToken({ ...claims, nonce: new Uint8Array(16) }, { kid: "k1", privateKey: keys.privateKey });
}

it("a token of 1,024 bytes is signed and read, one of 1,025 is not", async () => {
  const { length } = await tokenFor("a".repeat(300));
  const longest = "a".repeat(300 + TOKEN_LIMIT.bytes - length);
  const token = await tokenFor(longest);
  expect([token.length, TOKEN_LIMIT.bytes]).toEqual([1_024, 1_024]);
  expect(decodeToken(token).claims.aud).toBe(longest);
  await expect(tokenFor(`${longest}a`)).rejects.toMatchObject({ code: "TOKEN_FORMAT" });
});

// First 16 bytes of SHA-256 of the UTF-8 text, by Python's hashlib.
it.each([
  ["33 hex digits", "0".repeat(33), "54f05a87f5b881780cdc40e3fddfebf7"],
  ["a letter before 32 hex digits", `x${"0".repeat(32)}`, "c07700a6a0f73a2b987c190ce01b993d"],
  ["23 characters of base64", "A".repeat(23), "1786ac1492c6c922c2734e4d3d8e9b03"],
])("a nonce is hashed where it ends like one in bytes, but is longer: %s", async (_what, text, digest) => {
  expect(toHex(await nonceBytes(text))).toBe(digest);
});

it("what is wrong with a token is said for developers", () => {
  const [refused] = vectors.refused.filter(({ name }) => name === "ttl 121");
  expect(() => decodeToken(fromHex(refused?.token ?? ""))).toThrow("TOKEN_FORMAT: lifetime");
});
