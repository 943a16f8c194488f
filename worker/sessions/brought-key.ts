import { and, eq, isNull } from "drizzle-orm";
import { errors, importJWK, jwtVerify } from "jose";
import type { DeviceClientCertificateRequest } from "../../core/api/index.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { p256Thumbprint } from "../../core/pki/certificate.ts";
import { type PublicKeyJwk, sessions } from "../../db/schema.ts";
import { refused } from "../auth/dpop.ts";
import { publicKeyOf, sameKey } from "../auth/public-key.ts";
import type { BearerContext } from "../context.ts";
import { inBatch } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import { sha256Text } from "../secrets/lookup-keys.ts";

/**
 * A key that a session brings after its login (endpoint 7, rules §3), for hosts that cannot send a DPoP proof
 * with it. A session brings one key, once; the same one may be sent again.
 */

/** The key that endpoint 7 certifies, or null. Throws `invalid_dpop_proof`; at most one D1 call. */
export async function certifiedKey(
  ctx: BearerContext,
  { jwk, proof }: DeviceClientCertificateRequest,
  accessToken: string,
): Promise<PublicKeyJwk | null> {
  const bound = ctx.principal.key;
  if (jwk === undefined || proof === undefined) return bound;
  const key = await provenKey(ctx, jwk, proof, accessToken);
  const stored = bound ?? (await bind(ctx, key));
  if (!sameKey(stored, key)) throw refused("another key is bound");
  return stored;
}

/** The key in `jwk`, if `proof` proves possession of its private half, now, for this access token. */
async function provenKey(
  ctx: BearerContext,
  jwk: object,
  proof: string,
  accessToken: string,
): Promise<PublicKeyJwk> {
  try {
    const key = publicKeyOf(jwk);
    const { payload } = await jwtVerify(proof, await importJWK({ ...key }, "ES256"), {
      algorithms: ["ES256"],
      requiredClaims: ["jti", "iat"],
      currentDate: new Date(ctx.now),
    });
    if (payload.ath !== (await sha256Text(accessToken))) throw refused("ath");
    const age = Math.abs(ctx.now / 1_000 - Number(payload.iat));
    if (!(age <= ctx.settings.limits.dpopProofSeconds)) throw refused("iat");
    return key;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw refused(cause instanceof errors.JOSEError ? cause.code : "malformed");
  }
}

/** Binds `key` unless another request was faster; returns the key that the session then has. */
async function bind({ db, principal }: BearerContext, key: PublicKeyJwk): Promise<PublicKeyJwk> {
  const own = eq(sessions.id, principal.sessionId);
  const {
    stored: [row],
  } = await inBatch(db, {
    bound: db
      .update(sessions)
      .set({ keyJwk: key, keySpkiHash: toBase64Url(await p256Thumbprint(key)) })
      .where(and(own, isNull(sessions.keyJwk))),
    stored: db.select({ key: sessions.keyJwk }).from(sessions).where(own),
  });
  if (row?.key === undefined || row.key === null) throw new TypeError("a session without a row");
  return row.key;
}
