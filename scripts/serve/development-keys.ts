/** Key material for development and tests: made on the spot, never for a deployment. */
import { type Bytes, toBase64Url } from "../../core/encoding/bytes.ts";
import { jwkThumbprintText } from "../../core/pki/certificate.ts";
import { createIntermediate, createRoot, type Issuer } from "../../core/pki/issue.ts";
import { VALIDITY } from "../../core/pki/profiles.ts";

/** `length` random bytes; a test may give its own source. */
export type Random = (length: number) => Bytes;

export const systemRandom: Random = (length) => crypto.getRandomValues(new Uint8Array(length));

/** A private P-256 JWK with the members by which it is chosen. */
export interface PrivateJwk {
  readonly kid: string;
  readonly alg: "ES256";
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

export function generateKeys(): Promise<CryptoKeyPair> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
}

/** The start of a thumbprint, without a dash before it: operators give a kid as an option's value. */
export const keyId = (thumbprint: string): string => thumbprint.replace(/^-+/, "").slice(0, 8);

/** `key` as JWK; its kid is the start of its thumbprint unless one is given. */
export async function privateJwk(key: CryptoKey, kid?: string): Promise<PrivateJwk> {
  const { x, y, d } = await crypto.subtle.exportKey("jwk", key);
  if (x === undefined || y === undefined || d === undefined) throw new TypeError("not a private EC key");
  const members = { kty: "EC", crv: "P-256", x, y } as const;
  return { kid: kid ?? keyId(await jwkThumbprintText(members)), alg: "ES256", ...members, d };
}

/** A private JWKS of `count` fresh signing keys, as text. */
export async function signingKeySet(count = 1): Promise<string> {
  const pairs = await Promise.all(Array.from({ length: count }, generateKeys));
  return JSON.stringify({ keys: await Promise.all(pairs.map(({ privateKey }) => privateJwk(privateKey))) });
}

/** 32 random bytes as base64url. */
export function secret(random: Random): string {
  return toBase64Url(random(32));
}

/** An operator root and the intermediate below it. The root's private key is forgotten on return. */
export async function clientAuthority(
  random: Random,
  now: Date,
): Promise<{ root: Bytes; intermediate: Issuer }> {
  const keys = await generateKeys();
  const issuing = await generateKeys();
  const root = await createRoot({
    commonName: "Taglatch Dev Root",
    serial: random(16),
    notBefore: new Date(now.getTime() - VALIDITY.backdate),
    notAfter: new Date(now.getTime() + VALIDITY.root),
    keys,
  });
  const certificate = await createIntermediate({
    issuer: { certificate: root, privateKey: keys.privateKey },
    commonName: "Taglatch Dev CA",
    serial: random(16),
    notBefore: new Date(now.getTime() - VALIDITY.backdate),
    notAfter: new Date(now.getTime() + VALIDITY.intermediate),
    publicKey: issuing.publicKey,
  });
  return { root, intermediate: { certificate, privateKey: issuing.privateKey } };
}
