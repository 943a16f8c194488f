import { type Bytes, toBase64Url, utf8 } from "../encoding/bytes.ts";

/** SHA-256 of a SubjectPublicKeyInfo (DER): `cnf` of transaction tokens (protocol.md, Transaction token). */
export async function spkiThumbprint(spki: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", spki));
}

/** SHA-256 of the SubjectPublicKeyInfo of `key` (extractable public key). */
export async function publicKeyThumbprint(key: CryptoKey): Promise<Bytes> {
  return spkiThumbprint(new Uint8Array(await crypto.subtle.exportKey("spki", key)));
}

/** The public members that name an EC key (RFC 7638 §3.2); others may be present and do not count. */
export interface EcJwk {
  readonly kty?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
}

/**
 * RFC 7638 thumbprint of a P-256 JWK, the raw 32 bytes.
 *
 * @throws TypeError when it is not a P-256 key
 */
export async function jwkThumbprint(jwk: EcJwk): Promise<Bytes> {
  const { kty, crv, x, y } = jwk;
  if (kty !== "EC" || crv !== "P-256" || x === undefined || y === undefined)
    throw new TypeError("not a P-256 JWK");
  // Members in lexicographic order, no white space: the order here is the definition.
  return new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(JSON.stringify({ crv, kty, x, y }))));
}

/** {@link jwkThumbprint} as base64url text, the form of `jkt`. */
export async function jwkThumbprintText(jwk: EcJwk): Promise<string> {
  return toBase64Url(await jwkThumbprint(jwk));
}
