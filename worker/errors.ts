import { type ErrorCode, errorResponse, errorStatus, type Parsed } from "../core/api/index.ts";
import { SettingsError } from "./config/env.ts";
import { isDatabaseUnavailable } from "./database/database-errors.ts";

/** What the service throws, and the one place where it becomes an ErrorResponse. */

/** What a refusal carries besides its code. */
export interface ApiErrorDetail {
  /** For the caller; never a secret, token, surname or record locator. */
  readonly message?: string;
  readonly errors?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log and the audit trail only: which rule decided. */
  readonly reason?: string;
  /** The thrower has written the audit row itself, in the batch of the change. */
  readonly isAudited?: boolean;
  readonly cause?: unknown;
}

/** The one error services throw: a code of the contract. `reason` and `cause` never leave the service. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly detail: ApiErrorDetail;

  constructor(code: ErrorCode, detail: ApiErrorDetail = {}) {
    super(detail.reason ? `${code}: ${detail.reason}` : code, { cause: detail.cause });
    this.code = code;
    this.detail = detail;
  }
}

/** The Retry-After where the thrower gave none. */
const RETRY_AFTER: Partial<Record<ErrorCode, string>> = {
  idempotency_in_flight: "1",
  too_many_attempts: "60",
  too_many_requests: "60",
  service_unavailable: "5",
};

/** Turns whatever was thrown into the ErrorResponse that a caller may see. */
export function errorAnswer(error: unknown): Response {
  const { code, detail } = asApiError(error);
  const retryAfter = RETRY_AFTER[code];
  const headers = { ...(retryAfter ? { "Retry-After": retryAfter } : {}), ...detail.headers };
  return Response.json(errorResponse(code, detail), { status: errorStatus(code), headers });
}

/** Turns whatever was thrown into an error of the contract. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof SettingsError) {
    return new ApiError("service_unavailable", { reason: error.message, cause: error });
  }
  if (isDatabaseUnavailable(error)) {
    return new ApiError("service_unavailable", { reason: "database", cause: error });
  }
  return new ApiError("internal_error", { reason: "unexpected", cause: error });
}

/** Turns a failed parse into a refusal whose message names the fields. */
export function parseRefused({ code, fields, errors }: Extract<Parsed<unknown>, { ok: false }>): ApiError {
  const message =
    code === "required_info_not_provided"
      ? `Mandatory information is missing: ${fields.join(", ")}.`
      : `The request is malformed: ${fields.join(", ")}.`;
  return new ApiError(code, { message, errors });
}
