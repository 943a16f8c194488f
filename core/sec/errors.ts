import type { Bytes } from "../encoding/bytes.ts";
import { type FrameType, STATUS, type StatusName } from "../gatt/profile.ts";

/** The status names of the profile that mean a failure. */
export type FailureName = Exclude<StatusName, "OK" | "AUTHORIZED" | "COMMITTED" | "BUSY_DISPLAY">;

/**
 * Why a session did not come about or ended: the failures of the profile, and six that never travel by name.
 *
 * - `MESSAGE`: a malformed, unexpected or unacceptable EDHOC message. Abort; the peer is broken or hostile.
 * - `CREDENTIAL`: the peer named a credential by an unknown reference. Abort.
 * - `IDENTITY`: the certificate is sound but belongs to another tag than the chosen one. Choose again.
 * - `RECORD`: a protected record failed (key, sequence, kind, length or content). Abort, reconnect.
 * - `STATEMENT_FORMAT`: not a statement of a tag. It counts as absent.
 * - `PEER_ERROR`: the peer sent an EDHOC error or an alert; {@link SecError.peer} says which. A hint, never proof.
 */
export type SecErrorCode =
  | FailureName
  | "MESSAGE"
  | "CREDENTIAL"
  | "IDENTITY"
  | "RECORD"
  | "STATEMENT_FORMAT"
  | "PEER_ERROR";

/** What the other side said when it gave up. Unauthenticated before keys exist. */
export type PeerReport =
  | { readonly kind: "alert"; readonly status: number }
  | { readonly kind: "edhoc"; readonly error: EdhocError };

/** An EDHOC error message (RFC 9528 §6). */
export type EdhocError =
  | { readonly code: 1; readonly text: string }
  | { readonly code: 2; readonly suitesR: readonly number[] }
  | { readonly code: 3 };

/** The one error of core/sec. Its message is for developers; it never contains a secret. */
export class SecError extends Error {
  override readonly name = "SecError";
  readonly code: SecErrorCode;
  /** With `SUITE`: what the Responder supports, in its order of preference. */
  readonly suitesR: readonly number[] | undefined;
  /** With `PEER_ERROR`: what the peer said. */
  readonly peer: PeerReport | undefined;

  constructor(code: SecErrorCode, details: SecErrorDetails = {}) {
    const text = details.message === undefined ? code : `${code}: ${details.message}`;
    super(text, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.suitesR = details.suitesR;
    this.peer = details.peer;
  }
}

export interface SecErrorDetails {
  readonly message?: string;
  readonly cause?: unknown;
  readonly suitesR?: readonly number[];
  readonly peer?: PeerReport;
}

/** A framed message that answers a failure: its type and its body. */
export interface FailureAnswer {
  readonly type: Extract<FrameType, "EDHOC_ERROR" | "ALERT">;
  readonly message: Bytes;
}

/** The status byte that a failure has in STATUS and in `[17, code]`; undefined for the codes without one. */
export function statusOf(code: SecErrorCode): number | undefined {
  const status: Partial<Record<SecErrorCode, number>> = STATUS;
  return status[code];
}
