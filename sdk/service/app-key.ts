/**
 * The app's one key pair: P-256, with a private half that cannot be extracted, kept in IndexedDB. It signs
 * DPoP proofs and attestations, and the service certifies it for tags.
 */
import { type Bytes, copyBytes, toBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import { jwkThumbprintText } from "../../core/pki/thumbprint.ts";
import type { Database } from "../database.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;

/** Public members only. */
export interface PublicJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
}

export interface AppKey {
  readonly privateKey: CryptoKey;
  readonly jwk: PublicJwk;
  /** RFC 7638, base64url. */
  readonly thumbprint: string;
}

/** The stored key, or a new one. */
export async function loadAppKey(database: Database): Promise<AppKey> {
  const pair =
    (await database.read("key")) ??
    (await database.readOrWrite("key", await crypto.subtle.generateKey(ALGORITHM, false, ["sign"])));
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const jwk = { kty, crv, x, y } as PublicJwk;
  return { privateKey: pair.privateKey, jwk, thumbprint: await jwkThumbprintText(jwk) };
}

/** A compact JWS (RFC 7515), ES256, with the public key in its header. */
export async function signJws(key: AppKey, typ: string, claims: object): Promise<string> {
  const header = { alg: "ES256", typ, jwk: key.jwk };
  const input = [header, claims].map((part) => toBase64Url(utf8(JSON.stringify(part)))).join(".");
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key.privateKey, utf8(input));
  return `${input}.${toBase64Url(copyBytes(signature))}`;
}

/** The request that one DPoP proof (RFC 9449 §4.2) is for. */
export interface ProofOf {
  readonly url: string;
  readonly accessToken?: string | undefined;
  /** The server's nonce, if it has sent one. */
  readonly nonce?: string | undefined;
  /** Seconds since 1970. */
  readonly iat: number;
}

/** A new proof for one POST. */
export async function dpopProof(key: AppKey, { url, accessToken, nonce, iat }: ProofOf): Promise<string> {
  const ath = accessToken === undefined ? undefined : toBase64Url(await sha256(utf8(accessToken)));
  return signJws(key, "dpop+jwt", { jti: crypto.randomUUID(), htm: "POST", htu: url, iat, ath, nonce });
}

async function sha256(bytes: Bytes): Promise<Bytes> {
  return copyBytes(await crypto.subtle.digest("SHA-256", bytes));
}
