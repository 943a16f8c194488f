/**
 * What can go wrong: one class per kind, each with a closed union of codes. The comment above a code says
 * what the person at the screen should do. Messages are for logs: classify by class and `code`, never by
 * text.
 */
import type { StatusName } from "../core/gatt/profile.ts";
import type { CustodyHints } from "./records.ts";
import { ServiceError } from "./service/service-error.ts";

export { ServiceError, type ServiceErrorCode } from "./service/service-error.ts";

/** Any failure an SDK operation reports in `{ok: false, error}`. */
export type TaglatchError =
  | OperationError
  | BluetoothError
  | TagError
  | ServiceError
  | ConfigurationError
  | PasskeyError
  | CustodyProofCancelledException
  | CustodyProofRequiredException
  | CustodyProofAttemptsExceededException
  | OtherBagError
  | OtherLabelError;

/** Every code of every class, for exhaustive tables of sentences. */
export type TaglatchErrorCode = TaglatchError["code"];

export type OperationErrorCode =
  /** The chooser was closed or the signal fired. Show nothing. */
  | "cancelled"
  /** A field of the request is missing or out of range. Correct it. */
  | "invalid_request"
  /** Another operation runs on this tag. Wait, or cancel it. */
  | "busy"
  /** No tag was picked under this id. Pick it again. */
  | "unknown_device"
  /** The outbox has entries. Flush it online, or log out with `force`. */
  | "outbox_not_empty"
  /** The clock is wrong. Set it, try again. */
  | "clock_wrong"
  /** See `cause`. Try again, then report it. */
  | "internal";

/** The operation itself could not be carried out, whatever tag or service said. */
export class OperationError extends Error {
  override readonly name = "OperationError";
  readonly code: OperationErrorCode;
  /**
   * With `cancelled`: the tag already had its commit. The background work finds out what it shows, and the
   * outbox reports to the service.
   */
  readonly settling: boolean;
  constructor(
    code: OperationErrorCode,
    message: string,
    options?: ErrorOptions & { settling?: boolean | undefined },
  ) {
    super(message, options);
    this.code = code;
    this.settling = options?.settling ?? false;
  }
}

export type BluetoothErrorCode =
  /** No Web Bluetooth. Use Chrome or Edge, or a paper tag. */
  | "unsupported"
  /** Open the page over https. */
  | "insecure_context"
  /** A policy or setting blocks Bluetooth. Allow it. */
  | "blocked_by_policy"
  /** Off, or no adapter. Switch it on. */
  | "bluetooth_off"
  /** Off or blocked. Switch it on, or allow it. */
  | "bluetooth_unavailable"
  /** Allow Bluetooth for this site in browser and system. */
  | "permission_refused"
  /** The chooser needs a tap. Start again from a button. */
  | "needs_user_gesture"
  /** The tag did not answer. Hold it closer, wake it, try again. */
  | "out_of_reach"
  /** The link fell. Hold the tag closer, try again. */
  | "link_lost"
  /** An operation took over 8 seconds. Try again. */
  | "timeout"
  /** No bag tag. Choose another. */
  | "not_a_tag"
  /** Tag or system refused an operation. Try again, else have it checked. */
  | "operation_refused"
  /** Wait a moment, try again. */
  | "link_busy";

/** The radio, the browser's Bluetooth or its permissions; `cause` is the DOMException where there was one. */
export class BluetoothError extends Error {
  override readonly name = "BluetoothError";
  readonly code: BluetoothErrorCode;
  constructor(code: BluetoothErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type TagErrorCode =
  /** Another tag. Choose the one whose printed id matches. */
  | "wrong_tag"
  /** Not proven genuine. Do not use it; have it checked. */
  | "untrusted_tag"
  /** The tag offers an older protocol than it must. Have it checked. */
  | "generation_refused"
  /** This device knows the tag's old table. Switch Bluetooth off and on. */
  | "outdated_table"
  /** Try again, else have the tag checked. */
  | "secure_session_failed"
  /** The tag refused our certificate or key. Sign in again. */
  | "client_refused"
  /** Try again. */
  | "token_refused"
  /** The tag has not changed. Try again. */
  | "write_refused"
  /** Charge or replace the battery; use a paper tag. */
  | "low_battery"
  /** Busy, or waits for its button. Press it, wait. */
  | "tag_busy"
  /** Too many refused tokens. Wait 30 s to 5 min, then try again. */
  | "lockout"
  /** The tag broke the protocol. Try again, else have it checked. */
  | "protocol"
  /** The link fell while the display changed. Look at the tag, then write again. */
  | "outcome_unknown";

/** The tag refused, or is not the tag it should be. `status` is the tag's own status code, if it gave one. */
export class TagError extends Error {
  override readonly name = "TagError";
  readonly code: TagErrorCode;
  readonly status: StatusName | undefined;
  constructor(
    code: TagErrorCode,
    message: string,
    options?: ErrorOptions & { status?: StatusName | undefined },
  ) {
    super(message, options);
    this.code = code;
    this.status = options?.status;
  }
}

export type ConfigurationErrorCode =
  /** No WebCrypto. Use a current browser, over https. */
  | "unsupported"
  /** `/.well-known/ebt-configuration` could not be read. Try again. */
  | "configuration_unavailable"
  /** The configuration has an unknown form. Ask the operator. */
  | "configuration_invalid"
  /** No tag root is pinned. Ask the operator. */
  | "no_tag_roots"
  /** No client key is configured. Ask the operator. */
  | "no_client_key"
  /** No storage for the key. Allow storage for this site. */
  | "storage_unavailable";

/** The installation cannot be used. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly code: ConfigurationErrorCode;
  constructor(code: ConfigurationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type PasskeyErrorCode =
  /** No passkeys here. Go on as a guest. */
  | "passkeys_unsupported"
  /** Try again, or go on as a guest. */
  | "passkey_refused";

/** The login by passkey could not be carried out on this device; a closed dialog is `cancelled`. */
export class PasskeyError extends Error {
  override readonly name = "PasskeyError";
  readonly code: PasskeyErrorCode;
  constructor(code: PasskeyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** `collect` returned null. Nothing was written. */
export class CustodyProofCancelledException extends Error {
  override readonly name = "CustodyProofCancelledException";
  readonly code = "custody_proof_cancelled";
  constructor() {
    super("the custody proof was cancelled");
  }
}

/** No collector was given, or no right proof. */
export class CustodyProofRequiredException extends Error {
  override readonly name = "CustodyProofRequiredException";
  readonly code = "custody_proof_needed";
  readonly hints: CustodyHints;
  readonly lastSubmissionError: ServiceError | undefined;
  constructor(hints: CustodyHints, lastSubmissionError?: ServiceError) {
    super("no custody proof collector is set");
    this.hints = hints;
    this.lastSubmissionError = lastSubmissionError;
  }
}

/** `maxCustodyProofAttempts` proofs were wrong. Ask airline staff. */
export class CustodyProofAttemptsExceededException extends Error {
  override readonly name = "CustodyProofAttemptsExceededException";
  readonly code = "custody_proof_attempts_exceeded";
  readonly hints: CustodyHints;
  readonly lastSubmissionError: ServiceError;
  constructor(hints: CustodyHints, lastSubmissionError: ServiceError) {
    super("too many wrong custody proofs", { cause: lastSubmissionError });
    this.hints = hints;
    this.lastSubmissionError = lastSubmissionError;
  }
}

/** The tag carries another bag of the same person; nothing was written. Take another tag, or repeat with `move: true`. */
export class OtherBagError extends Error {
  override readonly name = "OtherBagError";
  readonly code = "tag_carries_other_bag";
  /** The bag on the tag. */
  readonly baggageId: number;
  constructor(baggageId: number) {
    super("the tag shows another bag");
    this.baggageId = baggageId;
  }
}

/** `onOtherLabel` kept another person's label; nothing was written. Take another tag. */
export class OtherLabelError extends Error {
  override readonly name = "OtherLabelError";
  readonly code = "tag_shows_other_label";
  constructor() {
    super("the tag shows another label");
  }
}

const KINDS = [
  OperationError,
  BluetoothError,
  TagError,
  ServiceError,
  ConfigurationError,
  PasskeyError,
  CustodyProofCancelledException,
  CustodyProofRequiredException,
  CustodyProofAttemptsExceededException,
  OtherBagError,
  OtherLabelError,
] as const;

/** Whether a thrown value is already one of ours. */
export function isTaglatchError(value: unknown): value is TaglatchError {
  return KINDS.some((kind) => value instanceof kind);
}

/** An error of ours as it is; anything else becomes `internal` with its cause, or `unsupported` where WebCrypto is missing. */
export function asTaglatchError(value: unknown): TaglatchError {
  if (isTaglatchError(value)) return value;
  return globalThis.crypto?.subtle === undefined
    ? new ConfigurationError("unsupported", "crypto.subtle is missing", { cause: value })
    : new OperationError("internal", "an unforeseen failure", { cause: value });
}
