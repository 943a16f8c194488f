import { errors } from "jose";
import type { CredentialFormat } from "../../../db/schema.ts";
import type { LoginContext } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { appAttestKeyId, verifyAppleAppAttest } from "./apple-appattest.ts";
import { verifyDemo } from "./demo.ts";
import { challengeOf, type StoredCredential, type Verified, type Verifier } from "./evidence.ts";
import { verifyPlayIntegrity } from "./play-integrity.ts";
import { type AttestationPolicy, parseAttestationPolicy } from "./policy.ts";
import { attestationRefused } from "./refusal.ts";
import { type Evidence, joseReason, type Statement } from "./statement.ts";
import { verifyWebAuthn, webAuthnCredentialId } from "./webauthn.ts";

/** The evidence formats, one row each. */

interface Row {
  readonly verify: Verifier;
  /** The stored credential that the evidence is about, for formats that have any. */
  readonly credentialId?: (evidence: Evidence) => string | undefined;
}

/** The signature over the statement is all there is: it proves possession of a key. */
const possession: Verifier = async () => ({ kind: "key" });

const FORMATS = {
  none: { verify: possession },
  demo: { verify: verifyDemo },
  webauthn: { verify: verifyWebAuthn, credentialId: webAuthnCredentialId },
  "apple-appattest": { verify: verifyAppleAppAttest, credentialId: appAttestKeyId },
  "play-integrity": { verify: verifyPlayIntegrity },
} as const satisfies Readonly<Record<string, Row>>;

export type EvidenceFormat = keyof typeof FORMATS;

/**
 * Whether a client key flagged `emailTrusted` may identify the person by the e-mail: an attested app sent it.
 */
export const vouchesForEmail = (format: EvidenceFormat) =>
  format === "apple-appattest" || format === "play-integrity";

const isFormat = (fmt: string): fmt is EvidenceFormat => Object.hasOwn(FORMATS, fmt);

/** The stored credential that evidence claims to use or to register. */
export function claimedCredential(
  evidence: Evidence,
): { readonly format: CredentialFormat; readonly id: string } | undefined {
  if (evidence.fmt !== "webauthn" && evidence.fmt !== "apple-appattest") return undefined;
  const id = FORMATS[evidence.fmt].credentialId(evidence);
  return id === undefined ? undefined : { format: evidence.fmt, id };
}

/**
 * What the statement's evidence proves, and its format. `stored` is the client's credential that the evidence
 * claims. Throws `invalid_attestation`.
 */
export async function verifyEvidence(
  ctx: LoginContext,
  statement: Statement,
  stored: StoredCredential | undefined,
): Promise<{ readonly format: EvidenceFormat; readonly verified: Verified }> {
  const { fmt } = statement.evidence;
  if (!isFormat(fmt)) throw attestationRefused("evidence_unknown_format");
  const policy = policyOf(ctx);
  const challenge = await challengeOf(statement);
  try {
    const verified = await FORMATS[fmt].verify({ ctx, statement, policy, challenge, stored });
    return { format: fmt, verified };
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    if (cause instanceof errors.JOSEError && (fmt === "demo" || fmt === "play-integrity"))
      throw attestationRefused(`${fmt}: ${joseReason(cause)}`, cause);
    throw attestationRefused("evidence_failed_unexpectedly", cause);
  }
}

function policyOf({ client }: LoginContext): AttestationPolicy {
  const policy = parseAttestationPolicy(client.attestationPolicy);
  if (policy === undefined) throw attestationRefused("policy_malformed");
  return policy;
}
