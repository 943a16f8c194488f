/** Reading what the SDK signed: compact JWS with the public key in its header. */
import * as v from "valibot";
import { fromBase64Url, fromUtf8, utf8 } from "../../../core/bytes.ts";
import { type EcJwk, jwkThumbprintText } from "../../../core/pki/thumbprint.ts";

export interface CheckedJws {
  readonly jwk: EcJwk;
  readonly key: CryptoKey;
  readonly claims: v.InferOutput<typeof Claims>;
}

/** What DPoP proofs and attestations say, as far as tests look at it. */
const Claims = v.looseObject({
  jti: v.optional(v.string()),
  htm: v.optional(v.string()),
  htu: v.optional(v.string()),
  ath: v.optional(v.string()),
  iat: v.optional(v.number()),
  nonce: v.optional(v.string()),
});

/** Throws unless the signature is right. */
export async function checkJws(jws = ""): Promise<CheckedJws> {
  const [header = "", claims = "", signature = ""] = jws.split(".");
  const { jwk } = JSON.parse(fromUtf8(fromBase64Url(header)));
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const key = await crypto.subtle.importKey("jwk", jwk, algorithm, true, ["verify"]);
  const signed = utf8(`${header}.${claims}`);
  const right = await crypto.subtle.verify(
    { name: "ECDSA", hash: "SHA-256" },
    key,
    fromBase64Url(signature),
    signed,
  );
  if (!right) throw new Error("the signature is wrong");
  return { jwk, key, claims: v.parse(Claims, JSON.parse(fromUtf8(fromBase64Url(claims)))) };
}

export const thumbprintOf = jwkThumbprintText;
