import { EmbeddedJWK, errors, jwtVerify } from "jose";
import { jwkThumbprintText } from "../core/pki/thumbprint.ts";
import type { PublicKeyJwk } from "../db/schema.ts";
import type { RequestContext, VerifiedProof } from "./context.ts";
import { sha256Text } from "./digest.ts";
import { ApiError } from "./errors.ts";
import { publicKeyOf } from "./public-key.ts";

/** DPoP proofs (RFC 9449), stateless part; that a proof is used once is up to whoever records its `hash`. */

/** The request a proof must be for. */
export interface ProvenRequest {
  readonly method: string;
  readonly url: string;
  /** Set where the proof comes with an access token. */
  readonly accessToken?: string;
}

/** Verifies `proof` for `request`. Throws `invalid_dpop_proof`. */
export async function verifyProof(
  ctx: RequestContext,
  proof: string,
  request: ProvenRequest,
): Promise<VerifiedProof> {
  const window = ctx.settings.limits.dpopProofSeconds;
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: "dpop+jwt",
      algorithms: ["ES256"],
      requiredClaims: ["jti", "htm", "htu", "iat"],
      currentDate: new Date(ctx.now),
    });
    const key = publicKeyOf(protectedHeader.jwk);
    const { jti, htm, htu, iat, ath } = payload;
    if (typeof jti !== "string" || jti === "" || jti.length > 256) throw refused("jti");
    if (htm !== request.method) throw refused("htm");
    if (typeof htu !== "string" || !sameTarget(htu, request.url, ctx.settings.publicOrigin))
      throw refused("htu");
    if (iat === undefined || Math.abs(ctx.now / 1_000 - iat) > window) throw refused("iat");
    if (request.accessToken !== undefined && ath !== (await sha256Text(request.accessToken)))
      throw refused("ath");
    return await described(key, jti, (iat + 2 * window) * 1_000);
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw refused(cause instanceof errors.JOSEError ? cause.code : "malformed", cause);
  }
}

async function described(key: PublicKeyJwk, jti: string, expiresAt: number): Promise<VerifiedProof> {
  const jkt = await jwkThumbprintText(key);
  return { key, jkt, hash: await sha256Text(JSON.stringify([jkt, jti])), expiresAt };
}

/** RFC 9449 §4.3: compared without query and fragment, after URL normalisation. */
function sameTarget(htu: string, url: string, publicOrigin: string | undefined): boolean {
  if (!URL.canParse(htu)) return false;
  const claimed = new URL(htu);
  const actual = new URL(url);
  return claimed.origin === (publicOrigin ?? actual.origin) && claimed.pathname === actual.pathname;
}

/** `invalid_dpop_proof` with its challenge (RFC 9449 §7.1). */
export function refused(reason: string, cause?: unknown): ApiError {
  return new ApiError("invalid_dpop_proof", {
    reason,
    cause,
    headers: { "WWW-Authenticate": 'DPoP error="invalid_dpop_proof", algs="ES256"' },
  });
}
