import { EmbeddedJWK, errors, jwtVerify } from "jose";
import { jwkThumbprintText } from "../../../core/pki/certificate.ts";
import { type PublicKeyJwk, publicKeyOf } from "../../auth/public-key.ts";
import type { RequestContext } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { attestationRefused } from "./refusal.ts";

/** Proof of what an app instance runs on; its format decides how the other members are read. */
export type Evidence = { readonly fmt: string } & Readonly<Record<string, unknown>>;

/** An app instance's claims about itself: a JWS signed by the key it wants certified (rules §3). */
export interface Statement {
  /** The app instance's key, and its RFC 7638 thumbprint. */
  readonly key: PublicKeyJwk;
  readonly jkt: string;
  readonly nonce: string;
  readonly email: string | undefined;
  readonly evidence: Evidence;
}

/**
 * Verifies signature, type, audience and nonce of `attestationObject`. The nonce proves freshness; `iat` is
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
    if (payload.nonce !== nonce) throw attestationRefused("statement_another_nonce");
    const { email, evidence } = payload;
    if (!hasFormat(evidence)) throw attestationRefused("statement_no_evidence_format");
    return { key, jkt: await jwkThumbprintText(key), nonce, email: emailOf(email), evidence };
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw attestationRefused(
      cause instanceof errors.JOSEError ? joseReason(cause) : "statement_malformed",
      cause,
    );
  }
}

/** All codes of jose begin like this; a code that does not would be our mistake. */
export const joseReason = ({ code }: errors.JOSEError) => code as `ERR_${string}`;

function emailOf(email: unknown): string | undefined {
  return typeof email === "string" && /^\S+@\S+$/.test(email) && email.length <= 254 ? email : undefined;
}

function hasFormat(evidence: unknown): evidence is Evidence {
  return (
    typeof evidence === "object" &&
    evidence !== null &&
    typeof (evidence as { fmt?: unknown }).fmt === "string"
  );
}
