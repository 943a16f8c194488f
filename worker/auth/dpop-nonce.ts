import { equalBytes, utf8 } from "../../core/encoding/bytes.ts";
import type { RequestContext } from "../context.ts";
import { hmacText } from "../secrets/sealed.ts";

/**
 * Nonces that the service issues for DPoP proofs (RFC 9449 §8), so that a caller whose clock is wrong can
 * still prove freshness. A nonce is the HMAC of a span of time: nothing is stored, and every instance of the
 * service knows it.
 */

/** The nonce to issue now. */
export const currentNonce = (ctx: RequestContext): Promise<string> => nonceOf(ctx, spanOf(ctx));

/** Which of our nonces `nonce` is; undefined for one that is older or not ours. */
export async function ageOfNonce(
  ctx: RequestContext,
  nonce: string,
): Promise<"current" | "previous" | undefined> {
  if (equalBytes(utf8(nonce), utf8(await nonceOf(ctx, spanOf(ctx))))) return "current";
  if (equalBytes(utf8(nonce), utf8(await nonceOf(ctx, spanOf(ctx) - 1)))) return "previous";
  return undefined;
}

/** When a nonce of this age is good no more, milliseconds since 1970. */
export const endOfNonce = (ctx: RequestContext, age: "current" | "previous"): number =>
  (spanOf(ctx) + (age === "current" ? 2 : 1)) * ctx.settings.limits.dpopProofSeconds * 1_000;

/** Number of the current span of `dpopProofSeconds`. */
const spanOf = ({ now, settings }: RequestContext) =>
  Math.floor(now / 1_000 / settings.limits.dpopProofSeconds);

const nonceOf = ({ settings }: RequestContext, span: number) =>
  hmacText(settings.pepperKey, "dpop nonce", String(span));
