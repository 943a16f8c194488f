import type { TaglatchError, TaglatchErrorCode } from "../../sdk/index.ts";

/**
 * What a person does about an error: the button that goes with the sentence. `another`: a different tag. `journey`: look
 * at the journey again. `renew`: the booking gives the right to it, or another session. `leave`: nothing on this page helps.
 */
export type ErrorAction = "again" | "another" | "journey" | "renew" | "reload" | "leave";

/** Where trying again would be pointless; everything else is tried again. */
const OTHERWISE: Readonly<Record<Exclude<ErrorAction, "again">, readonly TaglatchErrorCode[]>> = {
  another: [
    "not_a_tag",
    "unknown_device",
    "wrong_tag",
    "untrusted_tag",
    "generation_refused",
    "low_battery",
    "lockout",
    "custody_proof_needed",
    "custody_proof_attempts_exceeded",
    "device_locked",
    "device_lost",
    "device_not_found",
    "not_lock_holder",
    "too_many_attempts",
  ],
  journey: ["payload_mismatch", "baggage_not_found", "bag_limit", "too_many_requests"],
  renew: [
    "client_refused",
    "unauthorized_token",
    "invalid_refresh_token",
    "journey_not_found",
    "custody_proof_required",
  ],
  reload: [
    "idempotency_key_reused",
    "not_found",
    "method_not_allowed",
    "payload_too_large",
    "unsupported_media_type",
    "invalid_answer",
  ],
  leave: [
    "unsupported",
    "insecure_context",
    "blocked_by_policy",
    "unauthorized_client",
    "insufficient_scope",
    "configuration_invalid",
    "no_tag_roots",
    "no_client_key",
  ],
};

export function actionOf({ code }: TaglatchError): ErrorAction {
  const actions = Object.keys(OTHERWISE) as Exclude<ErrorAction, "again">[];
  return actions.find((action) => OTHERWISE[action].includes(code)) ?? "again";
}
