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
