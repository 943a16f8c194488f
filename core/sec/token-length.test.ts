import { expect, it } from "vitest";
import { decodeToken, signToken, TOKEN_LIMIT } from "./token.ts";

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
  expect(token.length).toBe(TOKEN_LIMIT.bytes);
  expect(decodeToken(token).claims.aud).toBe(longest);
  await expect(tokenFor(`${longest}a`)).rejects.toMatchObject({ code: "TOKEN_FORMAT" });
});
