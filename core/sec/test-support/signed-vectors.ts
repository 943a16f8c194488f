/** What a token and a statement, signed by another implementation, have to bear alike. */
import { expect, it } from "vitest";
import { type Bytes, fromHex, toBase64Url, toHex } from "../../encoding/bytes.ts";
import type { SecErrorCode } from "../errors.ts";

interface Signed<Decoded> {
  readonly code: SecErrorCode;
  readonly decode: (bytes: Bytes) => Decoded;
  readonly verify: (decoded: Decoded, publicKey: CryptoKey) => Promise<boolean>;
  readonly publicKey: CryptoKey;
}

export async function keysOf({ x, y, d }: Record<"x" | "y" | "d", string>): Promise<CryptoKeyPair> {
  const b64 = (hex: string) => toBase64Url(fromHex(hex));
  const half = { kty: "EC", crv: "P-256", x: b64(x), y: b64(y) };
  const es256 = { name: "ECDSA", namedCurve: "P-256" };
  return {
    publicKey: await crypto.subtle.importKey("jwk", half, es256, true, ["verify"]),
    privateKey: await crypto.subtle.importKey("jwk", { ...half, d: b64(d) }, es256, false, ["sign"]),
  };
}

/** Of a valid one: it verifies, and what `sign` makes of the same content differs in its signature alone. */
export function isSignedAlike<D>(signed: Signed<D>, original: Bytes, sign: () => Promise<Bytes>): void {
  const verifies = (bytes: Bytes) => signed.verify(signed.decode(bytes), signed.publicKey);

  it("has a signature that verifies", async () => {
    expect(await verifies(original)).toBe(true);
  });

  it("has the bytes that we would have written, but for the signature", async () => {
    const ours = await sign();
    expect(toHex(ours.slice(0, -64))).toBe(toHex(original.slice(0, -64)));
    expect(await verifies(ours)).toBe(true);
  });
}

/** Of one whose bytes were changed: it is refused, or does not verify. */
export function isRefusedChanged<D>(signed: Signed<D>, original: Bytes): void {
  const { code, decode, verify, publicKey } = signed;
  const refusal = expect.objectContaining({ name: "SecError", code });

  it("is never verified with one byte changed", async () => {
    for (let at = 0; at < original.length; at++) {
      const changed = original.slice();
      changed[at] = (changed[at] as number) ^ (1 << (at % 8));
      const verified = Promise.resolve(changed).then((bytes) => verify(decode(bytes), publicKey));
      const result = await verified.catch((error: unknown) => error);
      if (result !== false) expect(result, `byte ${at}`).toEqual(refusal);
    }
  });

  it("is refused in every beginning of it", () => {
    for (let length = 0; length < original.length; length++)
      expect(() => decode(original.subarray(0, length)), `${length} bytes`).toThrow(refusal);
  });
}
