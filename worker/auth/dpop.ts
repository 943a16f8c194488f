import { and, eq } from "drizzle-orm";
import { EmbeddedJWK, errors, type JWTPayload, jwtVerify } from "jose";
import { jwkThumbprintText } from "../../core/pki/certificate.ts";
import { usedOnce } from "../../db/schema.ts";
import type { BearerContext, RequestContext, VerifiedProof } from "../context.ts";
import { inBatch } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import { sha256Text } from "../secrets/sealed.ts";
import { ageOfNonce, currentNonce, endOfNonce } from "./dpop-nonce.ts";
import { publicKeyOf } from "./public-key.ts";

/**
 * DPoP proofs (RFC 9449), the stateless part. Callers record the `once` of a proof, so that it is used only once.
 */

/** The request that a proof must be for. */
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
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: "dpop+jwt",
      algorithms: ["ES256"],
      requiredClaims: ["jti", "htm", "htu", "iat"],
      currentDate: new Date(ctx.now),
    });
    const key = publicKeyOf(protectedHeader.jwk);
    const { jti, htm, htu, ath } = payload;
    if (typeof jti !== "string" || jti === "" || jti.length > 256) throw refused("jti");
    if (htm !== request.method) throw refused("htm");
    if (typeof htu !== "string" || !sameTarget(htu, request.url, ctx.settings.publicOrigin))
      throw refused("htu");
    if (request.accessToken !== undefined && ath !== (await sha256Text(request.accessToken)))
      throw refused("ath");
    const endsAt = await requireFresh(ctx, payload);
    const jkt = await jwkThumbprintText(key);
    return { key, jkt, once: { endsAt, hash: await sha256Text(JSON.stringify([jkt, jti])) } };
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw refused(cause instanceof errors.JOSEError ? cause.code : "malformed");
  }
}

/**
 * A proof is fresh by its date, or, whatever its date, by our nonce (RFC 9449 §8, §11.1). A caller with
 * neither gets a nonce to try again with; a caller that uses the previous nonce gets the next one. Returns from when on
 * it is fresh no more, in milliseconds: the same for the same proof at any time. Throws `invalid_dpop_proof`.
 */
async function requireFresh(ctx: RequestContext, { iat, nonce }: JWTPayload): Promise<number> {
  const { dpopProofSeconds } = ctx.settings.limits;
  if (nonce === undefined) {
    const isDated = Math.abs(ctx.now / 1_000 - Number(iat)) <= dpopProofSeconds;
    if (!isDated) throw refused("iat", await currentNonce(ctx));
    return Math.floor((Number(iat) + dpopProofSeconds) * 1_000) + 1;
  }
  const age = typeof nonce === "string" ? await ageOfNonce(ctx, nonce) : undefined;
  if (age === undefined) throw refused("nonce", await currentNonce(ctx));
  if (age === "previous") ctx.answerHeaders.set(DPOP_NONCE, await currentNonce(ctx));
  return endOfNonce(ctx, age);
}

/** RFC 9449 §4.3: compared without query and fragment, after URL normalisation. */
function sameTarget(htu: string, url: string, publicOrigin: string | undefined): boolean {
  const claimed = URL.parse(htu);
  const actual = new URL(url);
  return claimed?.origin === (publicOrigin ?? actual.origin) && claimed.pathname === actual.pathname;
}

/** Makes a proof, token or nonce single use; returns no row if it was used before. */
export const recordOnce = ({ db }: RequestContext, once: VerifiedProof["once"]) =>
  db.insert(usedOnce).values(once).onConflictDoNothing().returning({ hash: usedOnce.hash });

/** Throws `invalid_dpop_proof` if the request's proof was used before. */
export async function requireUnusedProof({ db, proof }: Pick<BearerContext, "db" | "proof">): Promise<void> {
  if (proof === undefined) return;
  const { endsAt, hash } = proof.once;
  const used = db
    .select({ hash: usedOnce.hash })
    .from(usedOnce)
    .where(and(eq(usedOnce.endsAt, endsAt), eq(usedOnce.hash, hash)));
  if ((await inBatch(db, { used })).used.length > 0) throw refused("replayed");
}

const DPOP_NONCE = "DPoP-Nonce";

/** `invalid_dpop_proof` with its challenge (RFC 9449 §7.1); with `nonce`, one that asks for a proof over it (§9). */
export function refused(reason: string, nonce?: string): ApiError {
  const error = nonce === undefined ? "invalid_dpop_proof" : "use_dpop_nonce";
  return new ApiError("invalid_dpop_proof", {
    reason,
    headers: {
      "WWW-Authenticate": `DPoP error="${error}", algs="ES256"`,
      ...(nonce === undefined ? {} : { [DPOP_NONCE]: nonce }),
    },
  });
}
