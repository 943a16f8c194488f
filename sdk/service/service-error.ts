/** Answers of the service other than success, and calls that got no answer. */
import type { ErrorCode } from "../../core/api/error-codes.ts";

/** Failures on the way to the service, in addition to the service's own `errorCode`s. */
export type TransportErrorCode =
  /** Offline, or service unreachable. Try again when online. */
  | "network"
  /** The service did not answer in time. Try again. */
  | "service_timeout"
  /** The answer breaks the contract. Report it. */
  | "invalid_answer"
  /** No report reached the service for 14 days. Write or clear the tag again. */
  | "never_confirmed";

/** The service's own codes (`ERRORS` of core/api, with what to do about each), and those of the way to it. */
export type ServiceErrorCode = ErrorCode | TransportErrorCode;

/** What is known of a failed call besides its code. */
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
  /** An answer was lost, now or at an earlier try of the same call: the service may have carried it out. */
  afterLostAnswer = false;
  /** The session could not be opened or renewed: it says nothing of the call that wanted one. */
  inLogin = false;
  constructor(code: ServiceErrorCode, message: string, details: ServiceErrorDetails = {}) {
    super(message, details);
    this.code = code;
    this.statusCode = details.statusCode;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.errors = details.errors ?? [];
  }
}
