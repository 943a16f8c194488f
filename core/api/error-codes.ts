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

/**
 * Every errorCode the service answers with, and its status (rules §1): the only list. What a person reads and
 * should do is in errors.ts, so that a page that knows the codes does not carry those texts.
 */
export const STATUS_OF = {
  required_info_not_provided: 400,
  invalid_request: 400,
  invalid_bcbp_format: 400,
  invalid_bsm_format: 400,
  unauthorized_client: 401,
  unauthorized_token: 401,
  invalid_federated_token: 401,
  invalid_nonce: 401,
  invalid_attestation: 401,
  invalid_credentials: 401,
  invalid_refresh_token: 401,
  invalid_dpop_proof: 401,
  insufficient_scope: 403,
  not_lock_holder: 403,
  custody_proof_required: 403,
  device_lost: 403,
  baggage_not_found: 404,
  journey_not_found: 404,
  device_not_found: 404,
  delegation_ended: 404,
  not_found: 404,
  method_not_allowed: 405,
  device_locked: 409,
  airline_required: 409,
  gatt_version_refused: 409,
  idempotency_in_flight: 409,
  bag_limit: 409,
  bag_refused: 409,
  stale_statement: 409,
  stale_attachment: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  custody_proof_invalid: 422,
  payload_mismatch: 422,
  idempotency_key_reused: 422,
  too_many_attempts: 429,
  too_many_requests: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const satisfies Record<string, ErrorStatus>;

export type ErrorCode = keyof typeof STATUS_OF;

/** errorCode → HTTP status. */
export const errorStatus = (code: ErrorCode): ErrorStatus => STATUS_OF[code];

/** Whether this contract knows `code`; a client must expect a proxy's own answers as well. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(STATUS_OF, code);

/** Why an airline refuses a bag (docs/acceptance.md): a closed list, the first of `errors` under `bag_refused`. */
export const BAG_REFUSALS = [
  "allowance",
  "not_checked_in",
  "route",
  "too_early",
  "too_late",
  "restricted",
] as const;
export type BagRefusal = (typeof BAG_REFUSALS)[number];

/** The reason that `text` names; any other is the airline's own, which no passenger can do anything about. */
export const refusalNamed = (text: string | undefined): BagRefusal =>
  BAG_REFUSALS.find((reason) => reason === text) ?? "restricted";
