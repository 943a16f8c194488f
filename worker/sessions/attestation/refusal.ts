import { ApiError } from "../../errors.ts";

/**
 * Why an attestation was refused: for the audit log, never for the caller, who gets the same
 * `invalid_attestation` for every row here (rules §1, §3).
 */
export type AttestationReason =
  | StatementReason
  | WebAuthnReason
  | AppAttestReason
  | PlayIntegrityReason
  /**
   * A code of jose: alone if it is about the statement, after the format if it is about that format's token.
   */
  | `${"" | "demo: " | "play-integrity: "}ERR_${string}`;

type StatementReason =
  | "statement_malformed"
  | "statement_another_nonce"
  | "statement_no_evidence_format"
  | "statement_no_email"
  | "evidence_unknown_format"
  | "evidence_not_allowed_for_client"
  | "evidence_too_weak"
  | "evidence_failed_unexpectedly"
  /** The client's policy is not of the form in worker/sessions/attestation/policy.ts; its operator must correct it. */
  | "policy_malformed"
  | "policy_missing"
  /** Another login with the same credential was faster. */
  | "credential_changed_meanwhile"
  | "demo_outside_development"
  | "demo_no_token"
  | "demo_another_nonce"
  | "demo_another_key"
  | "demo_another_email";

type WebAuthnReason =
  | "webauthn_shape"
  | "webauthn_client_data"
  | "webauthn_ceremony"
  | "webauthn_challenge"
  | "webauthn_origin"
  | "webauthn_cross_origin"
  | "webauthn_attestation_object"
  | "webauthn_statement_format"
  | "webauthn_authenticator_data"
  | "webauthn_rp_id"
  | "webauthn_user_presence"
  | "webauthn_user_verification"
  | "webauthn_backup_flags"
  | "webauthn_credential_id"
  | "webauthn_already_registered"
  | "webauthn_unknown_credential"
  | "webauthn_counter"
  /** An unsupported key, or a statement that it has not signed; the cause has the details. */
  | "webauthn_unverified"
  | "webauthn_signature";

type AppAttestReason =
  | "appattest_shape"
  | "appattest_no_roots"
  | "appattest_object"
  | "appattest_statement"
  | "appattest_authenticator_data"
  | "appattest_chain"
  | "appattest_chain_usage"
  | "appattest_chain_expired"
  | "appattest_nonce"
  | "appattest_key_id"
  | "appattest_credential_id"
  | "appattest_public_key"
  | "appattest_app"
  | "appattest_environment"
  | "appattest_counter"
  | "appattest_already_registered"
  | "appattest_unknown_key"
  | "appattest_signature";

type PlayIntegrityReason =
  | "play_shape"
  | "play_encryption"
  | "play_keys"
  | "play_verdict_malformed"
  | "play_binding"
  | "play_stale"
  | "play_from_the_future"
  | "play_package"
  | "play_certificate"
  | "play_version"
  | "play_app_verdict"
  | "play_device_verdict"
  | "play_licensing_verdict"
  | "play_testing_response";

/** An `invalid_attestation` whose reason stays inside the service. */
export const attestationRefused = (reason: AttestationReason, cause?: unknown) =>
  new ApiError("invalid_attestation", { reason, cause });

/** Returns what `read` returns; if it throws, refuses with `reason`. */
export function orRefuse<T>(reason: AttestationReason, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof ApiError ? cause : attestationRefused(reason, cause);
  }
}
