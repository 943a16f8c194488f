import { eq } from "drizzle-orm";
import type { NonceResponse } from "../../core/api/index.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { sha256Text } from "../../db/lookup-keys.ts";
import { attestationNonces } from "../../db/schema.ts";
import type { RequestContext } from "../context.ts";
import { type AnswersOf, inBatch, type Statements } from "../database/statements.ts";
import { ApiError } from "../errors.ts";

/** Nonces for attestations (endpoint 2): single use, kept as hashes. */

/** A new nonce, 128 random bits. */
export async function issueNonce(ctx: RequestContext): Promise<NonceResponse> {
  const ttlSeconds = ctx.settings.limits.attestationNonceSeconds;
  const expiresAt = ctx.now + ttlSeconds * 1_000;
  const nonce = toBase64Url(ctx.random(16));
  await ctx.db.insert(attestationNonces).values({ hash: await sha256Text(nonce), expiresAt });
  return { nonce, expiresAt: new Date(expiresAt).toISOString(), ttlSeconds };
}

/**
 * Uses up `nonce`, whatever becomes of its login; returns the answers of `reading`, from the same call.
 * Throws `invalid_nonce`.
 */
export async function burnNonce<S extends Statements[string]>(
  ctx: RequestContext,
  nonce: string,
  reading: S,
): Promise<AnswersOf<S>> {
  const burn = ctx.db
    .delete(attestationNonces)
    .where(eq(attestationNonces.hash, await sha256Text(nonce)))
    .returning({ expiresAt: attestationNonces.expiresAt });
  const answers = await inBatch(ctx.db, { burn, reading });
  const [burnt] = answers.burn;
  if (burnt === undefined) throw new ApiError("invalid_nonce", { reason: "unknown or used" });
  if (burnt.expiresAt <= ctx.now) throw new ApiError("invalid_nonce", { reason: "expired" });
  if (isRefusedByChaos(ctx)) throw new ApiError("invalid_nonce", { reason: "chaos" });
  return answers.reading;
}

/** CHAOS_NONCE_REJECT (rules §9): clients must cope with a refused nonce. */
function isRefusedByChaos({ settings, random }: RequestContext): boolean {
  const { buffer, byteOffset } = random(2);
  return new DataView(buffer, byteOffset).getUint16(0) / 65_536 < settings.chaosNonceReject;
}
