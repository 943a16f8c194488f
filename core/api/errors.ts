import * as v from "valibot";
import { type ErrorCode, REASON_PHRASE, STATUS_OF } from "./error-codes.ts";

interface ErrorRow {
  /** What a caller reads when the thrower has nothing more precise to say. */
  readonly message: string;
  /**
   * What the person at the screen should do, for the screen's developer. The screens' own sentences are
   * in the dictionaries (web/i18n).
   */
  readonly advice: string;
}

/** What each errorCode of error-codes.ts says by default, and what to do about it; one that lacks does not compile. */
export const ERRORS = {
  required_info_not_provided: {
    message: "A mandatory field is missing.",
    advice: "Fill it in.",
  },
  invalid_request: { message: "The request is malformed.", advice: "Correct it." },
  invalid_bcbp_format: {
    message: "The boarding pass data is malformed.",
    advice: "Scan again, or type the record locator.",
  },
  invalid_bsm_format: {
    message: "The baggage message is malformed.",
    advice: "Correct it at the source.",
  },
  unauthorized_client: {
    message: "The client key is missing, unknown or not allowed here.",
    advice: "Ask the operator.",
  },
  unauthorized_token: {
    message: "The access token is missing, invalid or expired.",
    advice: "Sign in again.",
  },
  invalid_federated_token: {
    message: "The host token was not accepted.",
    advice: "Sign in again.",
  },
  invalid_nonce: {
    message: "The nonce is unknown, used or expired.",
    advice: "Sign in again.",
  },
  invalid_attestation: {
    message: "The attestation was not accepted.",
    advice: "Try again.",
  },
  invalid_credentials: {
    message: "The credentials were not accepted.",
    advice: "Type them again.",
  },
  invalid_refresh_token: {
    message: "The refresh token was not accepted.",
    advice: "Sign in again.",
  },
  invalid_dpop_proof: {
    message: "The DPoP proof was missing or not accepted.",
    advice: "Set the clock, try again.",
  },
  insufficient_scope: { message: "This session may not do this.", advice: "Ask staff." },
  not_lock_holder: {
    message: "Only the holder of the lock may do this.",
    advice: "Ask the passenger who holds it.",
  },
  custody_proof_required: {
    message: "The tag is locked to another journey.",
    advice: "Ask for a custody proof.",
  },
  device_lost: { message: "The tag has been reported lost.", advice: "Hand it to staff." },
  baggage_not_found: { message: "There is no such bag.", advice: "Reload the journey." },
  journey_not_found: {
    message: "There is no such journey.",
    advice: "Check record locator and surname.",
  },
  delegation_ended: {
    message: "The code is unknown, used, expired or ended.",
    advice: "Ask for a new code.",
  },
  device_not_found: { message: "There is no such device.", advice: "Use another tag." },
  not_found: { message: "There is nothing here.", advice: "Update the app." },
  method_not_allowed: {
    message: "This path takes another method.",
    advice: "Update the app.",
  },
  device_locked: {
    message: "The tag is locked to another journey.",
    advice: "Ask for a custody proof.",
  },
  airline_required: {
    message: "Several airlines have a booking with this record locator and surname.",
    advice: "Send one of `errors` as `airline`.",
  },
  gatt_version_refused: {
    message: "The tag speaks a later GATT version.",
    advice: "Try again; else have it checked.",
  },
  idempotency_in_flight: {
    message: "A request with this Idempotency-Key still runs.",
    advice: "Wait a second.",
  },
  bag_limit: {
    message: "The journey has all its bags.",
    advice: "Ask staff.",
  },
  bag_refused: {
    message: "The airline does not accept this bag.",
    advice: "Show `errors`: the reason, perhaps the airline's sentence.",
  },
  stale_statement: {
    message: "The tag has been written since this statement.",
    advice: "Hold the tag near again.",
  },
  stale_attachment: {
    message: "The tag was attached or cleared since this token was issued.",
    advice: "Look the tag up.",
  },
  payload_too_large: { message: "The body is too large.", advice: "Update the app." },
  unsupported_media_type: { message: "The body must be JSON.", advice: "Update the app." },
  custody_proof_invalid: {
    message: "The custody proof was not accepted.",
    advice: "Type them again.",
  },
  payload_mismatch: {
    message: "The payload does not match the bag.",
    advice: "Reload the journey, write again.",
  },
  idempotency_key_reused: {
    message: "The Idempotency-Key was used with another body.",
    advice: "One key per body.",
  },
  too_many_attempts: {
    message: "Too many attempts.",
    advice: "Wait for Retry-After.",
  },
  too_many_requests: {
    message: "Too many requests.",
    advice: "Wait for Retry-After.",
  },
  internal_error: {
    message: "The service failed.",
    advice: "Try again later.",
  },
  service_unavailable: {
    message: "The service is not available.",
    advice: "Try again later.",
  },
} as const satisfies Readonly<Record<ErrorCode, ErrorRow>>;

/**
 * Codes of the contract that the service never has reason to send, and why. Clients must know them all the
 * same.
 */
export const RESERVED = {
  idempotency_in_flight:
    "An outcome is written in the same D1 batch as the change it reports, so no request is ever seen half done.",
} as const satisfies { readonly [Code in ErrorCode]?: string };
export type ReservedCode = keyof typeof RESERVED;

/** Error body of every non-2xx answer. */
export const ErrorResponse = v.object({
  /** HTTP status and its phrase, such as `400 BAD_REQUEST`. */
  status: v.string(),
  /** HTTP status. */
  statusCode: v.pipe(v.number(), v.integer()),
  /** For people who write clients. */
  message: v.string(),
  /** For programs: it distinguishes errors. */
  errorCode: v.pipe(v.string(), v.metadata({ knownValues: Object.keys(STATUS_OF) })),
  /** Details, such as one entry per missing field. */
  errors: v.array(v.string()),
});
export type ErrorResponse = v.InferOutput<typeof ErrorResponse>;

/** The body for `code`; `message` and `errors` never carry a secret, token, surname or record locator. */
export function errorResponse(
  code: ErrorCode,
  detail: {
    message?: string | undefined;
    errors?: readonly string[] | undefined;
  } = {},
): ErrorResponse {
  const status = STATUS_OF[code];
  return {
    status: `${status} ${REASON_PHRASE[status]}`,
    statusCode: status,
    message: detail.message ?? ERRORS[code].message,
    errorCode: code,
    errors: [...(detail.errors ?? [])],
  };
}
