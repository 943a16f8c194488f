import { EmbeddedJWK, errors, jwtVerify } from "jose";
import { jwkThumbprintText } from "../../core/pki/thumbprint.ts";
import type { RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import { type PublicKeyJwk, publicKeyOf } from "../public-key.ts";

/** What an app instance says about itself: a JWS signed by the key it wants certified (decisions §3). */
export interface Statement {
  /** The app instance's key, and its RFC 7638 thumbprint. */
  readonly key: PublicKeyJwk;
  readonly jkt: string;
  readonly nonce: string;
  readonly email: string | undefined;
  /** Proof of what the app instance runs on; its format decides how the rest is read. */
  readonly evidence: { readonly fmt: string } & Readonly<Record<string, unknown>>;
}

/** `invalid_attestation`; the reason stays inside. */
export const attestationRefused = (reason: string, cause?: unknown) =>
  new ApiError("invalid_attestation", { reason, cause });

/**
 * Verifies signature, type, audience and nonce of `attestationObject`. The nonce is its freshness; `iat` is
 * informational, because phones' clocks are wrong. Throws `invalid_attestation`.
 */
export async function verifyStatement(
  ctx: RequestContext,
  attestationObject: string,
  nonce: string,
): Promise<Statement> {
  try {
    const { payload, protectedHeader } = await jwtVerify(attestationObject, EmbeddedJWK, {
      typ: "ebt-attestation+jwt",
      algorithms: ["ES256"],
      audience: ctx.settings.issuer,
      requiredClaims: ["nonce", "iat", "evidence"],
      currentDate: new Date(ctx.now),
    });
    const key = publicKeyOf(protectedHeader.jwk);
    if (payload.nonce !== nonce) throw attestationRefused("another nonce");
    const { email, evidence } = payload;
    if (!hasFormat(evidence)) throw attestationRefused("no evidence format");
    return { key, jkt: await jwkThumbprintText(key), nonce, email: emailOf(email), evidence };
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw attestationRefused(cause instanceof errors.JOSEError ? cause.code : "malformed", cause);
  }
}

function emailOf(email: unknown): string | undefined {
  return typeof email === "string" && /^\S+@\S+$/.test(email) && email.length <= 254 ? email : undefined;
}

function hasFormat(evidence: unknown): evidence is Statement["evidence"] {
  return (
    typeof evidence === "object" &&
    evidence !== null &&
    typeof (evidence as { fmt?: unknown }).fmt === "string"
  );
}
