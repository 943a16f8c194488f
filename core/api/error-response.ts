import * as v from "valibot";
import { type ErrorCode, REASON_PHRASE, STATUS_OF } from "./error-codes.ts";
import { ERRORS } from "./errors.ts";

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
