import * as v from "valibot";

/** Error body of every non-2xx answer. */
export const ErrorResponse = v.object({
  status: v.string(),
  statusCode: v.pipe(v.number(), v.integer()),
  message: v.string(),
  errorCode: v.string(),
  errors: v.array(v.string()),
});
export type ErrorResponse = v.InferOutput<typeof ErrorResponse>;

/** HTTP statuses in use, with the phrase the body spells out (rules §1). */
export const REASON_PHRASE = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "UNPROCESSABLE_ENTITY",
  429: "TOO_MANY_REQUESTS",
  500: "INTERNAL_SERVER_ERROR",
  503: "SERVICE_UNAVAILABLE",
} as const;
export type ErrorStatus = keyof typeof REASON_PHRASE;

interface ErrorRow {
  readonly status: ErrorStatus;
  /** What a caller reads when the thrower has nothing more precise to say. */
  readonly message: string;
}

/** Every errorCode the service answers with: its status and its default sentence (rules §1). */
export const ERRORS = {
  required_info_not_provided: {
    status: 400,
    message: "A mandatory field is missing.",
  },
  invalid_request: { status: 400, message: "The request is malformed." },
  invalid_bcbp_format: {
    status: 400,
    message: "The boarding pass data is malformed.",
  },
  invalid_bsm_format: {
    status: 400,
    message: "The baggage message is malformed.",
  },
  unauthorized_client: {
    status: 401,
    message: "The client key is missing, unknown or not allowed here.",
  },
  unauthorized_token: {
    status: 401,
    message: "The access token is missing, invalid or expired.",
  },
  invalid_federated_token: {
    status: 401,
    message: "The host token was not accepted.",
  },
  invalid_nonce: {
    status: 401,
    message: "The nonce is unknown, used or expired.",
  },
  invalid_attestation: {
    status: 401,
    message: "The attestation was not accepted.",
  },
  invalid_credentials: {
    status: 401,
    message: "The credentials were not accepted.",
  },
  invalid_refresh_token: {
    status: 401,
    message: "The refresh token was not accepted.",
  },
  invalid_dpop_proof: {
    status: 401,
    message: "The DPoP proof is missing or was not accepted.",
  },
  insufficient_scope: { status: 403, message: "This session may not do this." },
  not_lock_holder: {
    status: 403,
    message: "Only the holder of the lock may do this.",
  },
  custody_proof_required: {
    status: 403,
    message: "The tag is locked to another journey.",
  },
  device_lost: { status: 403, message: "The tag has been reported lost." },
  baggage_not_found: { status: 404, message: "There is no such bag." },
  journey_not_found: { status: 404, message: "There is no such journey." },
  device_not_found: { status: 404, message: "There is no such device." },
  not_found: { status: 404, message: "There is nothing here." },
  method_not_allowed: {
    status: 405,
    message: "This path takes another method.",
  },
  device_locked: {
    status: 409,
    message: "The tag is locked to another journey.",
  },
  gatt_version_refused: {
    status: 409,
    message: "The tag speaks a later GATT version.",
  },
  idempotency_in_flight: {
    status: 409,
    message: "A request with this Idempotency-Key is still running.",
  },
  bag_limit: {
    status: 409,
    message: "The journey has all the bags it may have.",
  },
  payload_too_large: { status: 413, message: "The body is too large." },
  unsupported_media_type: { status: 415, message: "The body must be JSON." },
  custody_proof_invalid: {
    status: 422,
    message: "The custody proof was not accepted.",
  },
  payload_mismatch: {
    status: 422,
    message: "The payload does not match the bag.",
  },
  idempotency_key_reused: {
    status: 422,
    message: "The Idempotency-Key was used with another body.",
  },
  too_many_attempts: {
    status: 429,
    message: "Too many attempts. Try again later.",
  },
  too_many_requests: {
    status: 429,
    message: "Too many requests. Try again later.",
  },
  internal_error: { status: 500, message: "The service failed." },
  service_unavailable: {
    status: 503,
    message: "The service is not available. Try again later.",
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** Codes of the contract that the service has no occasion to answer with, and why. Clients must know them all the same. */
export const RESERVED = {
  idempotency_in_flight:
    "An outcome is written in the same D1 batch as the change it reports, so no request is ever seen half done.",
} as const satisfies { readonly [Code in ErrorCode]?: string };
export type ReservedCode = keyof typeof RESERVED;

/** errorCode → HTTP status. */
export const errorStatus = (code: ErrorCode): ErrorStatus => ERRORS[code].status;

/** Whether `code` is one this contract knows; a client must expect a proxy's own answers as well. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);

/** The body for `code`; `message` and `errors` never carry a secret, token, surname or record locator. */
export function errorResponse(
  code: ErrorCode,
  detail: {
    message?: string | undefined;
    errors?: readonly string[] | undefined;
  } = {},
): ErrorResponse {
  const { status, message } = ERRORS[code];
  return {
    status: `${status} ${REASON_PHRASE[status]}`,
    statusCode: status,
    message: detail.message ?? message,
    errorCode: code,
    errors: [...(detail.errors ?? [])],
  };
}
