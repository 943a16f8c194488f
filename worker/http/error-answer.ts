import { type ErrorCode, errorResponse, errorStatus } from "../../core/api/index.ts";
import { SettingsError } from "../config/env.ts";
import { isDatabaseUnavailable } from "../database/database-errors.ts";
import { ApiError } from "../errors.ts";

/** The one place where what was thrown becomes an ErrorResponse. */

/** The Retry-After where the thrower gave none. */
const RETRY_AFTER: Partial<Record<ErrorCode, string>> = {
  idempotency_in_flight: "1",
  too_many_attempts: "60",
  too_many_requests: "60",
  service_unavailable: "5",
};

/** Has an anchor for each code (docs/errors.md). */
const ERROR_PAGE = "/docs/errors";

/** Turns whatever was thrown into the ErrorResponse that a caller may see. */
export function errorAnswer(error: unknown): Response {
  const { code, detail } = asApiError(error);
  const retryAfter = RETRY_AFTER[code];
  const headers = {
    ...(retryAfter ? { "Retry-After": retryAfter } : {}),
    // By the code alone, which the body has too: refusals that must look alike share it.
    Link: `<${ERROR_PAGE}#${code}>; rel="help"`,
    ...detail.headers,
  };
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
