import { EncodingError } from "../encoding/bytes.ts";
import { DerError } from "../encoding/der.ts";
import { SecError } from "../sec/errors.ts";

/**
 * Why a certificate or a chain is not believed.
 *
 * - `CHAIN`: malformed, not of the profile, or vouched for by no anchor.
 * - `EKU`: made for another use.
 * - `CRED_TIME`: not valid at this time.
 */
export type PkiErrorCode = "CHAIN" | "EKU" | "CRED_TIME";

/** The one error of core/pki about certificates: a session that gets it fails with its code. */
export class PkiError extends SecError {
  declare readonly code: PkiErrorCode;
  constructor(code: PkiErrorCode, message: string, cause?: unknown) {
    super(code, { message, cause });
  }
}

/** The refusal that everything about an unsound certificate comes to. */
export function refuse(message: string, cause?: unknown): never {
  throw new PkiError("CHAIN", message, cause);
}

/** What `read` gives; what is not encoded as it should be is no certificate. */
export function orRefuse<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof DerError || cause instanceof EncodingError) refuse(cause.message, cause);
    throw cause;
  }
}
