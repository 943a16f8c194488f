import { fromBase64Url } from "../../core/encoding/bytes.ts";
import type { PublicKeyJwk } from "../../db/schema.ts";

export type { PublicKeyJwk };

/**
 * The four public members of an EC P-256 JWK found in a JWS header or a `cnf` claim. Throws TypeError for
 * another kind of key, a coordinate of another length, or a private member: a private key that was sent
 * proves nothing.
 */
export function publicKeyOf(jwk: unknown): PublicKeyJwk {
  const { kty, crv, x, y, d } = Object(jwk) as Record<string, unknown>;
  if (kty !== "EC" || crv !== "P-256" || d !== undefined) throw new TypeError("not a public P-256 key");
  return { kty, crv, x: coordinate(x), y: coordinate(y) };
}

function coordinate(value: unknown): string {
  if (typeof value !== "string" || fromBase64Url(value).length !== 32)
    throw new TypeError("not a coordinate");
  return value;
}

/** Whether two keys are the same; {@link publicKeyOf} has made both canonical base64url. */
export const sameKey = (a: PublicKeyJwk, b: PublicKeyJwk) => a.x === b.x && a.y === b.y;
