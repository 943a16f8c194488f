/** A token that a tag accepts, and the tag that accepts it. */
import type { Bytes } from "../../encoding/bytes.ts";
import type { GattVersion } from "../../gatt/profile.ts";
import type { TokenClaims } from "../token.ts";
import type { TokenExpectations } from "../token-check.ts";

/** 2026-11-21T12:00:00Z. */
export const IAT = 1_795_262_400;
export const NONCE = new Uint8Array(16).fill(0x4e);
const DEVICE = "ebt-21-0001";

export async function tokenKeyPair(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
}

/** The claims for a client's key, on v2.1 in the session with `channelBinding`. */
export async function honestClaims(spki: Bytes, channelBinding?: Bytes): Promise<TokenClaims> {
  return {
    iss: "taglatch",
    aud: DEVICE,
    exp: IAT + 120,
    iat: IAT,
    cti: new Uint8Array(8).fill(7),
    nonce: NONCE,
    ttl: 120,
    cnfSpkiSha256: new Uint8Array(await crypto.subtle.digest("SHA-256", spki)),
    ...(channelBinding && { channelBinding }),
    version: channelBinding ? "2.1" : "2.0",
    payloadDigest: new Uint8Array(32).fill(5),
    operation: "write",
  };
}

/** What the tag of these claims knows: its nonce was drawn a second ago. */
export function honestExpectations(spki: Bytes, channelBinding?: Bytes): Omit<TokenExpectations, "keys"> {
  const path: GattVersion = channelBinding ? "2.1" : "2.0";
  return {
    path,
    minimumVersion: "2.0",
    deviceId: DEVICE,
    takeNonce: () => ({ value: NONCE, age: 1000 }),
    nonceLifetime: 120_000,
    ...(channelBinding && { channelBinding }),
    leaf: { spki, notBefore: new Date((IAT - 300) * 1000), notAfter: new Date((IAT + 86_400) * 1000) },
    operation: "write",
    lastSeen: IAT,
  };
}
