import { errors, importJWK, jwtVerify } from "jose";
import type { CredentialFormat } from "../../../db/schema.ts";
import type { LoginContext } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { appAttestKeyId, verifyAppleAppAttest } from "./apple-appattest.ts";
import { challengeOf, type StoredCredential, type Verified, type Verifier } from "./evidence.ts";
import { verifyPlayIntegrity } from "./play-integrity.ts";
import { type AttestationPolicy, parseAttestationPolicy } from "./policy.ts";
import { attestationRefused } from "./refusal.ts";
import { type Evidence, joseReason, type Statement } from "./statement.ts";
import { verifyWebAuthn, webAuthnCredentialId } from "./webauthn.ts";

/**
 * Public half of db/demo/attester.jwk.json; the private half has no place in a deployment, not even of a
 * demo.
 */
const ATTESTER = {
  kty: "EC",
  crv: "P-256",
  x: "gK5KPkalqJH5NnCFdJIeXhTfQXuIT31F67iervnwj4U",
  y: "L-teqVb-dFJ5tmPrOQv-rGmyiFD6yuRucct6lR3NKh8",
} as const;

/**
 * Evidence of the development attester (rules §3, §9): a JWT over nonce, key and e-mail, signed by a key
 * whose private half is public. Outside development it means nothing and is refused.
 */
const verifyDemo: Verifier = async ({ ctx, statement }) => {
  if (ctx.settings.environment !== "development") throw attestationRefused("demo_outside_development");
  const { token } = statement.evidence;
  if (typeof token !== "string") throw attestationRefused("demo_no_token");
  const { payload } = await jwtVerify(token, await importJWK(ATTESTER, "ES256"), {
    algorithms: ["ES256"],
    currentDate: new Date(ctx.now),
  });
  if (payload.nonce !== statement.nonce) throw attestationRefused("demo_another_nonce");
  if (payload.jkt !== statement.jkt) throw attestationRefused("demo_another_key");
  if (payload.email !== statement.email) throw attestationRefused("demo_another_email");
  return { kind: "key" };
};

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
