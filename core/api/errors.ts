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
  /**
   * What the person at the screen should do, for whoever builds that screen. The screens' own sentences are
   * in the dictionaries (web/i18n).
   */
  readonly advice: string;
}

/**
 * Every errorCode the service answers with: its status, its default sentence and what to do about it (rules
 * §1). It is the only list: the SDK takes its codes from here, and a dictionary that lacks one does not
 * compile.
 */
export const ERRORS = {
  required_info_not_provided: {
    status: 400,
    message: "A mandatory field is missing.",
    advice: "Fill it in.",
  },
  invalid_request: { status: 400, message: "The request is malformed.", advice: "Correct it." },
  invalid_bcbp_format: {
    status: 400,
    message: "The boarding pass data is malformed.",
    advice: "Scan again or type the record locator.",
  },
  invalid_bsm_format: {
    status: 400,
    message: "The baggage message is malformed.",
    advice: "Correct it at the source.",
  },
  unauthorized_client: {
    status: 401,
    message: "The client key is missing, unknown or not allowed here.",
    advice: "The installation needs its operator.",
  },
  unauthorized_token: {
    status: 401,
    message: "The access token is missing, invalid or expired.",
    advice: "Sign in again.",
  },
  invalid_federated_token: {
    status: 401,
    message: "The host token was not accepted.",
    advice: "Sign in again in the host app.",
  },
  invalid_nonce: {
    status: 401,
    message: "The nonce is unknown, used or expired.",
    advice: "The login took too long. Try again.",
  },
  invalid_attestation: {
    status: 401,
    message: "The attestation was not accepted.",
    advice: "Try again; update the app.",
  },
  invalid_credentials: {
    status: 401,
    message: "The credentials were not accepted.",
    advice: "Type user name and password again.",
  },
  invalid_refresh_token: {
    status: 401,
    message: "The refresh token was not accepted.",
    advice: "Sign in again.",
  },
  invalid_dpop_proof: {
    status: 401,
    message: "The DPoP proof is missing or was not accepted.",
    advice: "Often a wrong clock: set it, try again.",
  },
  insufficient_scope: { status: 403, message: "This session may not do this.", advice: "Ask staff." },
  not_lock_holder: {
    status: 403,
    message: "Only the holder of the lock may do this.",
    advice: "Ask the passenger the tag is locked to.",
  },
  custody_proof_required: {
    status: 403,
    message: "The tag is locked to another journey.",
    advice: "Its holder clears it, or a custody proof opens it.",
  },
  device_lost: { status: 403, message: "The tag has been reported lost.", advice: "Hand it to staff." },
  baggage_not_found: { status: 404, message: "There is no such bag.", advice: "Reload the journey." },
  journey_not_found: {
    status: 404,
    message: "There is no such journey.",
    advice: "Check record locator and surname.",
  },
  device_not_found: { status: 404, message: "There is no such device.", advice: "Use another tag." },
  not_found: { status: 404, message: "There is nothing here.", advice: "Update the app." },
  method_not_allowed: {
    status: 405,
    message: "This path takes another method.",
    advice: "Update the app.",
  },
  device_locked: {
    status: 409,
    message: "The tag is locked to another journey.",
    advice: "Custody proof, or another tag.",
  },
  gatt_version_refused: {
    status: 409,
    message: "The tag speaks a later GATT version.",
    advice: "It must be written the secure way. Hold it closer, try again; else have it checked.",
  },
  idempotency_in_flight: {
    status: 409,
    message: "A request with this Idempotency-Key is still running.",
    advice: "Wait a second.",
  },
  bag_limit: {
    status: 409,
    message: "The journey has all the bags it may have.",
    advice: "Ask staff.",
  },
  stale_statement: {
    status: 409,
    message: "The tag has been written since it made this statement.",
    advice: "Hold the tag near and let it speak again.",
  },
  stale_attachment: {
    status: 409,
    message: "The tag was attached again since this token was issued.",
    advice: "Nothing to do: the newer attachment stands.",
  },
  payload_too_large: { status: 413, message: "The body is too large.", advice: "Update the app." },
  unsupported_media_type: { status: 415, message: "The body must be JSON.", advice: "Update the app." },
  custody_proof_invalid: {
    status: 422,
    message: "The custody proof was not accepted.",
    advice: "Type record locator and surname again.",
  },
  payload_mismatch: {
    status: 422,
    message: "The payload does not match the bag.",
    advice: "The journey changed meanwhile. Reload it, check the label, write again.",
  },
  idempotency_key_reused: {
    status: 422,
    message: "The Idempotency-Key was used with another body.",
    advice: "A developer's error: each body has a key of its own.",
  },
  too_many_attempts: {
    status: 429,
    message: "Too many attempts. Try again later.",
    advice: "Wait as long as Retry-After says.",
  },
  too_many_requests: {
    status: 429,
    message: "Too many requests. Try again later.",
    advice: "Wait as long as Retry-After says.",
  },
  internal_error: {
    status: 500,
    message: "The service failed.",
    advice: "Try again later, with the request id for support.",
  },
  service_unavailable: {
    status: 503,
    message: "The service is not available. Try again later.",
    advice: "Try again later, with the request id for support.",
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/**
 * Codes of the contract that the service never has reason to send, and why. Clients must know them all the
 * same.
 */
export const RESERVED = {
  idempotency_in_flight:
    "An outcome is written in the same D1 batch as the change it reports, so no request is ever seen half done.",
} as const satisfies { readonly [Code in ErrorCode]?: string };
export type ReservedCode = keyof typeof RESERVED;

/** errorCode → HTTP status. */
export const errorStatus = (code: ErrorCode): ErrorStatus => ERRORS[code].status;

/** Whether this contract knows `code`; a client must expect a proxy's own answers as well. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);
