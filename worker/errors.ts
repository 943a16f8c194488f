import type { ErrorCode, Parsed } from "../core/api/index.ts";

/** What the service throws. */

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
  /** The caller's token was issued by the service. */
  readonly isKnown?: boolean;
  /** The refused login has counted already, by its account. */
  readonly isCounted?: boolean;
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

/** Turns a failed parse into a refusal whose message names the fields. */
export function parseRefused({ code, fields, errors }: Extract<Parsed<unknown>, { ok: false }>): ApiError {
  const message =
    code === "required_info_not_provided"
      ? `Mandatory information is missing: ${fields.join(", ")}.`
      : `The request is malformed: ${fields.join(", ")}.`;
  return new ApiError(code, { message, errors });
}
