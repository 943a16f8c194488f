/** SEC failures and tag status codes as errors for people. */
import type { StatusName } from "../../core/gatt/profile.ts";
import { statusName } from "../../core/gatt/values.ts";
import { SecError, type SecErrorCode } from "../../core/sec/errors.ts";
import { OperationError, TagError, type TagErrorCode } from "../errors.ts";

const FROM_SEC: Readonly<Partial<Record<SecErrorCode, TagErrorCode>>> = {
  CHAIN: "untrusted_tag",
  EKU: "untrusted_tag",
  CRED_TIME: "untrusted_tag",
  CREDENTIAL: "untrusted_tag",
  AUTH_FAIL: "untrusted_tag",
  IDENTITY: "wrong_tag",
  MESSAGE: "secure_session_failed",
  RECORD: "secure_session_failed",
  SUITE: "secure_session_failed",
};

const FROM_STATUS: Readonly<Partial<Record<StatusName, TagErrorCode>>> = {
  BUSY: "tag_busy",
  BUSY_DISPLAY: "tag_busy",
  LOCKOUT: "lockout",
  LOW_BATTERY: "low_battery",
  VERSION: "generation_refused",
  CHAIN: "client_refused",
  EKU: "client_refused",
  CRED_TIME: "client_refused",
  AUTH_FAIL: "client_refused",
  OFFSET: "write_refused",
  DIGEST: "write_refused",
  STORAGE: "write_refused",
};

/** The refusal for a status code of the tag. */
export function refusal(status: StatusName): TagError {
  const code = FROM_STATUS[status] ?? (status.startsWith("TOKEN_") ? "token_refused" : "protocol");
  return new TagError(code, `the tag answered ${status}`, { status });
}

/** The same for a received number. */
export function refusalOf(code: number): TagError {
  const status = statusName(code);
  return status === undefined ? new TagError("protocol", `unknown status ${code}`) : refusal(status);
}

/** A failure of core/sec as one of our errors; anything else unchanged, also one of ours that core/sec has wrapped. */
export function translated(error: unknown): unknown {
  if (!(error instanceof SecError)) return error;
  if (error.cause instanceof OperationError) return error.cause;
  if (error.peer?.kind === "alert") {
    const { code, message, status } = refusalOf(error.peer.status);
    return new TagError(code, message, { status, cause: error });
  }
  // An EDHOC error is unauthenticated and gives no reason: most often it is about our certificate.
  const code = error.code === "PEER_ERROR" ? "client_refused" : (FROM_SEC[error.code] ?? "protocol");
  return new TagError(code, `secure session: ${error.code}`, { cause: error });
}
