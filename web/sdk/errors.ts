/**
 * What can go wrong, one class per kind, each with a closed union of codes. The comment beside a code says
 * what the person at the screen should do. Messages are for logs: classify by class and `code`, never by text.
 */
import type { StatusName } from "../../core/gatt/profile.ts";
import type { CustodyHints } from "./types.ts";

/** Any failure an SDK operation reports in `{ok: false, error}`. */
export type TaglatchError =
  | OperationError
  | BluetoothError
  | TagError
  | ServiceError
  | ConfigurationError
  | CustodyProofCancelledException
  | CustodyProofRequiredException
  | CustodyProofAttemptsExceededException;

/** Every code of every class, for exhaustive tables of sentences. */
export type TaglatchErrorCode = TaglatchError["code"];

export type OperationErrorCode =
  /** The chooser was closed or the caller's signal fired. Nothing to do: not an error for the user. */
  | "cancelled"
  /** A field of the request is missing or out of range. Correct the call; a developer's error. */
  | "invalid_request"
  /** Another operation runs on this tag. Wait for it, or cancel it. */
  | "busy"
  /** No tag was picked under this device id. Pick the tag again. */
  | "unknown_device"
  /** Log-out was refused because the outbox still holds work. Flush it when online, or log out with `force`. */
  | "outbox_not_empty"
  /** Something nobody foresaw, see `cause`. Try again; report it when it stays. */
  | "internal";

/** The operation itself could not be done, whatever tag or service said. */
export class OperationError extends Error {
  override readonly name = "OperationError";
  readonly code: OperationErrorCode;
  constructor(code: OperationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type BluetoothErrorCode =
  /** This browser has no Web Bluetooth (iOS, WebView, Firefox). Use Chrome or Edge, or a paper tag. */
  | "unsupported"
  /** The page is not a secure context. Open it over https. */
  | "insecure_context"
  /** An administrator's policy blocks Bluetooth here. Ask the organisation, or use another device. */
  | "blocked_by_policy"
  /** Bluetooth is switched off, or there is no adapter. Switch it on and try again. */
  | "bluetooth_off"
  /** The browser or the operating system refused permission. Allow Bluetooth for this site and try again. */
  | "permission_refused"
  /** The chooser needs a tap. Start again from a button. */
  | "needs_user_gesture"
  /** The tag did not answer the connection. Hold it closer, wake it, try again. */
  | "out_of_reach"
  /** The link fell while we talked. Hold the tag closer and try again. */
  | "link_lost"
  /** The tag did not answer an operation within 8 seconds. Try again. */
  | "timeout"
  /** The chosen device is not a bag tag, or lacks what its generation promises. Choose another. */
  | "not_a_tag"
  /** The tag or the system refused one operation. Try again; if it stays, the tag needs service. */
  | "operation_refused"
  /** The Bluetooth system is busy. Wait a moment, try again. */
  | "link_busy";

/** The radio, the browser's Bluetooth or its permissions; `cause` is the DOMException where there was one. */
export class BluetoothError extends Error {
  override readonly name = "BluetoothError";
  readonly code: BluetoothErrorCode;
  constructor(code: BluetoothErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type TagErrorCode =
  /** The connected tag is not the one asked for. Choose the tag whose id is printed on it. */
  | "wrong_tag"
  /** The tag could not prove it is genuine. Do not use it; have it checked. */
  | "untrusted_tag"
  /** The tag offers an older or other protocol than it must. Do not use it here; have it checked. */
  | "generation_refused"
  /** The secure session failed. Try again; if it stays, the tag needs service. */
  | "secure_session_failed"
  /** The tag refused our certificate or proof of key. Sign in again. */
  | "client_refused"
  /** The tag refused the transaction token. Try again. */
  | "token_refused"
  /** The tag refused what was written (offset, digest, storage). Nothing changed on it. Try again. */
  | "write_refused"
  /** The tag's battery is too low to write. Charge or replace it; use a paper tag meanwhile. */
  | "low_battery"
  /** The tag is busy with its display or another phone. Wait a few seconds. */
  | "tag_busy"
  /** Too many refused tokens. The tag locks itself for 30 s to 5 min: wait, then try again. */
  | "lockout"
  /** The tag answered outside its protocol. Try again; if it stays, the tag needs service. */
  | "protocol"
  /** The link fell while the display changed and the tag cannot say what it shows. Look at it, then write again. */
  | "outcome_unknown";

/** The tag said no, or is not what it should be. `status` is the tag's own word where it gave one. */
export class TagError extends Error {
  override readonly name = "TagError";
  readonly code: TagErrorCode;
  readonly status: StatusName | undefined;
  constructor(
    code: TagErrorCode,
    message: string,
    options?: ErrorOptions & { status?: StatusName | undefined },
  ) {
    super(message, options);
    this.code = code;
    this.status = options?.status;
  }
}

export type ConfigurationErrorCode =
  /** `/.well-known/ebt-configuration` could not be read. Check the connection, try again. */
  | "configuration_unavailable"
  /** It was read but is not what this SDK knows. The installation needs its operator. */
  | "configuration_invalid"
  /** No tag root is pinned, so no tag can be trusted. The installation needs its operator. */
  | "no_tag_roots"
  /** No client key is configured. The installation needs its operator. */
  | "no_client_key"
  /** The browser gives no storage for the app's key (private mode, full disk). Allow storage for this site. */
  | "storage_unavailable";

/** The installation is not fit to be used. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly code: ConfigurationErrorCode;
  constructor(code: ConfigurationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The proof dialog was closed: `collect` returned null. Nothing was written. */
export class CustodyProofCancelledException extends Error {
  override readonly name = "CustodyProofCancelledException";
  readonly code = "custody_proof_cancelled";
  constructor() {
    super("the custody proof was cancelled");
  }
}

/** The tag is locked to another journey and nobody can be asked: give a collector, or the right proof. */
export class CustodyProofRequiredException extends Error {
  override readonly name = "CustodyProofRequiredException";
  readonly code = "custody_proof_needed";
  readonly hints: CustodyHints;
  readonly lastSubmissionError: ServiceError | undefined;
  constructor(hints: CustodyHints, lastSubmissionError?: ServiceError) {
    super("the tag is locked to another journey and no custody proof collector is set");
    this.hints = hints;
    this.lastSubmissionError = lastSubmissionError;
  }
}

/** `maxCustodyProofAttempts` proofs were wrong. Ask the passenger the tag is locked to, or airline staff. */
export class CustodyProofAttemptsExceededException extends Error {
  override readonly name = "CustodyProofAttemptsExceededException";
  readonly code = "custody_proof_attempts_exceeded";
  readonly hints: CustodyHints;
  readonly lastSubmissionError: ServiceError;
  constructor(hints: CustodyHints, lastSubmissionError: ServiceError) {
    super("too many wrong custody proofs", { cause: lastSubmissionError });
    this.hints = hints;
    this.lastSubmissionError = lastSubmissionError;
  }
}

/** Failures of the way to the service, beside the service's own `errorCode`s. */
export type TransportErrorCode =
  /** No answer came: offline, or the service is unreachable. Try again when online. */
  | "network"
  /** The service did not answer in time. Try again. */
  | "service_timeout"
  /** The answer is not what the contract says. Reload the app; report it when it stays. */
  | "invalid_answer";

/** Codes of ErrorResponse.errorCode, with what to do. */
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
  /** An earlier try of the same call was lost on the way: the service may have done it. */
  readonly afterLostAnswer?: boolean | undefined;
}

/** The service refused, or could not be reached. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ServiceErrorCode;
  readonly statusCode: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly errors: readonly string[];
  readonly afterLostAnswer: boolean;
  constructor(code: ServiceErrorCode, message: string, details: ServiceErrorDetails = {}) {
    super(message, details);
    this.code = code;
    this.statusCode = details.statusCode;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.errors = details.errors ?? [];
    this.afterLostAnswer = details.afterLostAnswer ?? false;
  }
}

const KINDS = [
  OperationError,
  BluetoothError,
  TagError,
  ServiceError,
  ConfigurationError,
  CustodyProofCancelledException,
  CustodyProofRequiredException,
  CustodyProofAttemptsExceededException,
] as const;

/** Whether a thrown value is already one of ours. */
export function isTaglatchError(value: unknown): value is TaglatchError {
  return KINDS.some((kind) => value instanceof kind);
}

/** Ours as it is; anything else becomes `internal` with its cause. */
export function asTaglatchError(value: unknown): TaglatchError {
  return isTaglatchError(value)
    ? value
    : new OperationError("internal", "an unforeseen failure", { cause: value });
}
