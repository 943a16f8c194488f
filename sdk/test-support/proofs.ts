/** Reading what the SDK signed: compact JWS with the public key in its header. */
import { fromBase64Url, fromUtf8, utf8 } from "../../core/encoding/bytes.ts";
import { type EcJwk, jwkThumbprintText } from "../../core/pki/certificate.ts";

export interface CheckedJws {
  readonly jwk: EcJwk;
  readonly key: CryptoKey;
  readonly claims: Claims;
}

/** What DPoP proofs and attestations say; where these are said, they are texts. */
const TEXTS = ["jti", "htm", "htu", "ath", "nonce"] as const;
type Claims = Readonly<Record<string, unknown>> & { readonly [Name in (typeof TEXTS)[number]]?: string };

function claimsIn(json: string): Claims {
  const claims: Record<string, unknown> = JSON.parse(json);
  const wrong = TEXTS.filter((name) => !["string", "undefined"].includes(typeof claims[name]));
  if (wrong.length > 0) throw new Error(`${wrong.join()}: no text`);
  return claims as Claims;
}

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
  return { jwk, key, claims: claimsIn(fromUtf8(fromBase64Url(claims))) };
}

export const thumbprintOf = jwkThumbprintText;
