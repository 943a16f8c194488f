/** Answers of the service that are no success, and calls that got no answer. */
/** Failures of the way to the service, beside the service's own `errorCode`s. */
export type TransportErrorCode =
  /** No answer came: offline, or the service is unreachable. Try again when online. */
  | "network"
  /** The service did not answer in time. Try again. */
  | "service_timeout"
  /** The answer is not what the contract says. Reload the app; report it when it stays. */
  | "invalid_answer";

/** Codes of ErrorResponse.errorCode (`core/api`), with what to do; http.ts fails to compile when one is missing. */
export type ServiceRefusalCode =
  /** A mandatory field is missing. Fill it in. */
  | "required_info_not_provided"
  /** A field has the wrong form. Correct it. */
  | "invalid_request"
  /** The boarding pass cannot be read. Scan again or type the record locator. */
  | "invalid_bcbp_format"
  /** The baggage message cannot be read. Correct it at the source. */
  | "invalid_bsm_format"
  /** The client key is unknown here. The installation needs its operator. */
  | "unauthorized_client"
  /** The session ended. Sign in again. */
  | "unauthorized_token"
  /** The host app's token was refused. Sign in again in the host app. */
  | "invalid_federated_token"
  /** The login took too long. Try again. */
  | "invalid_nonce"
  /** The app instance was not recognised. Try again; update the app. */
  | "invalid_attestation"
  /** User name or password is wrong. Type them again. */
  | "invalid_credentials"
  /** The session ended. Sign in again. */
  | "invalid_refresh_token"
  /** The proof of key was refused, often a wrong clock. Set the clock, try again. */
  | "invalid_dpop_proof"
  /** This session may not do that. Ask staff. */
  | "insufficient_scope"
  /** Only the passenger the tag is locked to may do that. */
  | "not_lock_holder"
  /** The tag is locked to another journey: its holder clears it, or a custody proof opens it. */
  | "custody_proof_required"
  /** The tag was reported lost. Hand it to staff. */
  | "device_lost"
  /** This bag is not known. Reload the journey. */
  | "baggage_not_found"
  /** No such journey. Check record locator and surname. */
  | "journey_not_found"
  /** The tag is not registered here. Use another tag. */
  | "device_not_found"
  /** The service does not know this address. Update the app. */
  | "not_found"
  /** The app and the service disagree. Update the app. */
  | "method_not_allowed"
  | "payload_too_large"
  | "unsupported_media_type"
  /** Another journey has the tag. Custody proof, or another tag. */
  | "device_locked"
  /** This tag must be written the secure way. Hold it closer, try again; else have it checked. */
  | "gatt_version_refused"
  /** The same request is still in work. Wait a second. */
  | "idempotency_in_flight"
  /** The journey has its ten bags. Ask staff. */
  | "bag_limit"
  /** Record locator or surname is wrong. Type them again. */
  | "custody_proof_invalid"
  /** The journey changed meanwhile. Reload it, check the label, write again. */
  | "payload_mismatch"
  /** A developer's error: one Idempotency-Key for two bodies. */
  | "idempotency_key_reused"
  /** Too many guesses. Wait `retryAfter` seconds. */
  | "too_many_attempts"
  /** Too many requests. Wait `retryAfter` seconds. */
  | "too_many_requests"
  /** The service failed. Try again later, with the request id for support. */
  | "internal_error"
  | "service_unavailable";

export type ServiceErrorCode = ServiceRefusalCode | TransportErrorCode;

/** What is known of a failed call beside its code. */
export interface ServiceErrorDetails extends ErrorOptions {
  /** HTTP status, absent when no answer came. */
  readonly statusCode?: number | undefined;
  /** X-Request-Id of the answer: the code for support. */
  readonly requestId?: string | undefined;
  /** Seconds of Retry-After. */
  readonly retryAfter?: number | undefined;
  /** `errors` of the ErrorResponse. */
  readonly errors?: readonly string[] | undefined;
}

/** The service refused, or could not be reached. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ServiceErrorCode;
  readonly statusCode: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly errors: readonly string[];
  /** An answer was lost on the way, now or at an earlier try of the same call: the service may have done it. */
  afterLostAnswer = false;
  constructor(code: ServiceErrorCode, message: string, details: ServiceErrorDetails = {}) {
    super(message, details);
    this.code = code;
    this.statusCode = details.statusCode;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.errors = details.errors ?? [];
  }
}
