import { eq } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { NonceResponse } from "../../core/api/index.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { attestationNonces } from "../../db/schema.ts";
import { sha256Text } from "../config/digest.ts";
import type { RequestContext } from "../context.ts";
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
 * Uses up `nonce`, whatever becomes of the login it is for; `reads` travel along, and their rows are the answer.
 * Throws `invalid_nonce`.
 */
export async function burnNonce(
  ctx: RequestContext,
  nonce: string,
  reads: readonly BatchItem<"sqlite">[] = [],
): Promise<readonly (readonly unknown[])[]> {
  const burn = ctx.db
    .delete(attestationNonces)
    .where(eq(attestationNonces.hash, await sha256Text(nonce)))
    .returning({ expiresAt: attestationNonces.expiresAt });
  const [[burnt], ...rows] = await ctx.db.batch([burn, ...reads]);
  if (burnt === undefined) throw new ApiError("invalid_nonce", { reason: "unknown or used" });
  if (burnt.expiresAt <= ctx.now) throw new ApiError("invalid_nonce", { reason: "expired" });
  if (isRefusedByChaos(ctx)) throw new ApiError("invalid_nonce", { reason: "chaos" });
  return rows as readonly (readonly unknown[])[];
}

/** CHAOS_NONCE_REJECT (rules §9): clients must live with a refused nonce. */
function isRefusedByChaos({ settings, random }: RequestContext): boolean {
  if (settings.chaosNonceReject === 0) return false;
  const [a = 0, b = 0] = random(2);
  return (a * 256 + b) / 65_536 < settings.chaosNonceReject;
}
