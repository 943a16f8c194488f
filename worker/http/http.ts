import { type ErrorCode, errorResponse, errorStatus, type Parsed } from "../../core/api/index.ts";
import { type Bytes, concat, EncodingError, fromUtf8 } from "../../core/encoding/bytes.ts";
import { SettingsError } from "../config/env.ts";
import { isDatabaseUnavailable } from "../database/database-errors.ts";
import { ApiError } from "../errors.ts";

/** HTTP in and out: bodies with a cap, JSON answers, and the one place where errors become ErrorResponses. */

/** `value` as a JSON answer. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { ...headers, "Content-Type": "application/json" },
  });
}

/** How long a caller is asked to wait where the thrower did not say. */
const RETRY_AFTER: Partial<Record<ErrorCode, string>> = {
  idempotency_in_flight: "1",
  too_many_attempts: "60",
  too_many_requests: "60",
  service_unavailable: "5",
};

/** Whatever was thrown, as the ErrorResponse a caller may see. */
export function errorAnswer(error: unknown): Response {
  const { code, detail } = asApiError(error);
  const retryAfter = RETRY_AFTER[code];
  const headers = { ...(retryAfter ? { "Retry-After": retryAfter } : {}), ...detail.headers };
  return json(errorResponse(code, detail), errorStatus(code), headers);
}

/** The contract's name for whatever was thrown. */
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

/** Every endpoint is a POST. Throws `method_not_allowed`. */
export function requireMethod(request: Request, ...methods: readonly string[]): void {
  if (methods.includes(request.method)) return;
  throw new ApiError("method_not_allowed", { headers: { Allow: methods.join(", ") } });
}

/** An absent Content-Type counts as JSON. Throws `unsupported_media_type`. */
export function requireJson(headers: Headers): void {
  const type = headers.get("Content-Type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "" || type === "application/json" || /^application\/[\w.-]+\+json$/.test(type)) return;
  throw new ApiError("unsupported_media_type");
}

/** The body, at most `limit` bytes of it ever in memory. Throws `payload_too_large`. */
export async function readBody(request: Request, limit: number): Promise<Bytes> {
  const announced = Number(request.headers.get("Content-Length") ?? 0);
  if (announced > limit) throw new ApiError("payload_too_large");
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request.body ?? []) {
    length += part.length;
    if (length > limit) throw new ApiError("payload_too_large");
    parts.push(part);
  }
  return concat(...parts);
}

/** A body that is not JSON at all. */
export const NOT_JSON = {
  ok: false,
  code: "invalid_request",
  fields: ["body"],
  errors: ["body must be JSON"],
} as const;

/** The JSON value of `body`; an empty body counts as `{}`. */
export function decodeJson(body: Bytes): { readonly ok: true; readonly value: unknown } | typeof NOT_JSON {
  try {
    const text = fromUtf8(body);
    return { ok: true, value: text.trim() === "" ? {} : JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof EncodingError) return NOT_JSON;
    throw error;
  }
}

/** The refusal a failed parse becomes: the message names the fields. */
export function parseRefused({ code, fields, errors }: Extract<Parsed<unknown>, { ok: false }>): ApiError {
  const message =
    code === "required_info_not_provided"
      ? `Mandatory information is missing: ${fields.join(", ")}.`
      : `The request is malformed: ${fields.join(", ")}.`;
  return new ApiError(code, { message, errors });
}
