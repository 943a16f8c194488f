import type { PublicJwk } from "../../core/api/index.ts";
import { type Bytes, concat, fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";

/** Keys of the service, imported once per isolate. */

const ES256 = { name: "ECDSA", namedCurve: "P-256" } as const;

/** Two or more signing keys: the first signs, all verify, so that a new one can be announced before it is used. */
export interface KeyRing {
  readonly signing: { readonly kid: string; readonly key: CryptoKey };
  readonly verifying: ReadonlyMap<string, CryptoKey>;
  /** Public halves, for the JWKS documents. */
  readonly published: readonly PublicJwk[];
}

/** A private EC key in the form that the vars hold. */
interface PrivateJwk {
  readonly kid: string;
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/**
 * The ring of a private JWKS (JSON text). Throws TypeError, which does not repeat the text, where it is none.
 */
export async function importKeyRing(json: string): Promise<KeyRing> {
  const jwks = privateKeys(json);
  const [first] = jwks;
  if (first === undefined) throw new TypeError("no key");
  const published = jwks.map(({ kid, x, y }): PublicJwk => {
    return { kty: "EC", crv: "P-256", x, y, kid, alg: "ES256", use: "sig" };
  });
  const verifying = new Map<string, CryptoKey>();
  for (const { kid, x, y } of published) verifying.set(kid, await importVerifyKey({ x, y }));
  if (verifying.size !== jwks.length) throw new TypeError("two keys of one kid");
  return { signing: { kid: first.kid, key: await importSignKey(first) }, verifying, published };
}

/** A P-256 public key for checking signatures; extractable, because certificates embed it. */
export function importVerifyKey(jwk: { readonly x: string; readonly y: string }): Promise<CryptoKey> {
  return crypto.subtle.importKey("jwk", { kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y }, ES256, true, [
    "verify",
  ]);
}

/** A P-256 private key for signing. */
export function importSignKey(jwk: Omit<PrivateJwk, "kid">): Promise<CryptoKey> {
  const { x, y, d } = jwk;
  return crypto.subtle.importKey("jwk", { kty: "EC", crv: "P-256", x, y, d }, ES256, false, ["sign"]);
}

/** The private JWK of JSON text. Throws TypeError where it is none. */
export function privateJwk(json: string): Omit<PrivateJwk, "kid"> {
  const jwk: unknown = JSON.parse(json);
  if (!hasText(jwk, "x") || !hasText(jwk, "y") || !hasText(jwk, "d"))
    throw new TypeError("not a private JWK");
  return jwk;
}

/** Signs for Web Push (RFC 8292); push services know the key by its point. */
export interface PushKey {
  readonly key: CryptoKey;
  /** The uncompressed point, base64url. */
  readonly publicKey: string;
}

/** The key of a private JWK (JSON text). Throws where it is none. */
export async function importPushKey(json: string): Promise<PushKey> {
  const jwk = privateJwk(json);
  const point = concat(Uint8Array.of(4), secret32(jwk.x), secret32(jwk.y));
  return { key: await importSignKey(jwk), publicKey: toBase64Url(point) };
}

/** 32 bytes of base64url text as an HMAC-SHA-256 key. */
export function importHmacKey(text: string): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", secret32(text), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

/** A key that was taken into use at `since` (seconds since 1970). */
export interface DatedKey {
  readonly since: number;
  readonly key: CryptoKey;
}

/**
 * Keys with the time from which each was used: `seconds.base64url`, separated by spaces, newest first. Throws
 * TypeError for none, for one that is malformed, and for another order.
 */
export async function importDatedKeys(text: string): Promise<readonly DatedKey[]> {
  const keys = await Promise.all(
    text.split(/\s+/).map(async (entry) => {
      const [, since, secret] = /^(\d{1,10})\.([\w-]+)$/.exec(entry) ?? [];
      if (since === undefined || secret === undefined) throw new TypeError("not a dated key");
      return { since: Number(since), key: await importHmacKey(secret) };
    }),
  );
  const isNewestFirst = keys.every(
    ({ since }, i) => since < (keys[i - 1]?.since ?? Number.POSITIVE_INFINITY),
  );
  if (!isNewestFirst) throw new TypeError("not newest first");
  return keys;
}

/** The 32 bytes of base64url text. Throws where there are more or fewer. */
export function secret32(text: string): Bytes {
  const bytes = fromBase64Url(text);
  if (bytes.length !== 32) throw new TypeError("not 32 bytes");
  return bytes;
}

function privateKeys(json: string): readonly PrivateJwk[] {
  const { keys } = Object(JSON.parse(json)) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) throw new TypeError("not a JWKS");
  return keys.map((jwk: unknown) => {
    if (!hasText(jwk, "kid")) throw new TypeError("a key without kid");
    return { kid: jwk.kid, ...privateJwk(JSON.stringify(jwk)) };
  });
}

const hasText = (value: unknown, name: keyof PrivateJwk): value is PrivateJwk =>
  typeof (Object(value) as Record<string, unknown>)[name] === "string";
