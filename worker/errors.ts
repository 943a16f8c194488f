import type { ErrorCode } from "../core/api/index.ts";

/** What a refusal carries beside its code. */
export interface ApiErrorDetail {
  /** For the caller; never a secret, token, surname or record locator. */
  readonly message?: string;
  readonly errors?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log and the audit trail only: which rule decided. */
  readonly reason?: string;
  /** The thrower has written the audit row itself, with the change it belongs to. */
  readonly isAudited?: boolean;
  readonly cause?: unknown;
}

/**
 * The one error services throw: a code of the contract. `http.ts` turns it into an ErrorResponse; `reason` and
 * `cause` never leave the service.
 */
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
