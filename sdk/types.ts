/**
 * The words of the SDK that flows, tags, outbox and hosts share. Records of the contract keep their names; all additions
 * are optional for the caller.
 */
import type { LabelPayload } from "../core/bag/payload.ts";
import type { Bytes } from "../core/encoding/bytes.ts";
import type { GattVersion } from "../core/gatt/profile.ts";
import type { ServiceError, TaglatchError } from "./errors.ts";
import type { CustodyHints, Journey } from "./records.ts";

/** The label of a tag, field by field, as `ticketPayload` makes it from a journey. */
export type DisplayTicket = LabelPayload;

/** The tag as it was when the operation ended. */
export interface TagDevice {
  readonly deviceId: string;
  readonly uniqueDeviceId: string;
  readonly name?: string;
  readonly generation: GattVersion;
  /** Per cent. */
  readonly batteryLevel?: number;
  readonly firmwareVersion?: string;
  readonly model?: string;
}

/** Whether a host lets outcomes be counted: yes, as the operator decides, or yes with what the browser does not say. */
export type OutcomesConsent = true | "operator" | { readonly app: string; readonly os: string };

/**
 * Steps of an operation, in this order; a step that is not needed never starts. Where the service refuses `authorize`
 * because the lock needs a custody proof, `proof` follows it, and `authorize` starts again.
 */
export const PHASES = [
  "connect",
  "secure",
  "lookup",
  "proof",
  "authorize",
  "write",
  "display",
  "attach",
] as const;
export type Phase = (typeof PHASES)[number];
type MeasuredPhase = "write" | "display";

/** One event of the one progress stream. Times are milliseconds since the operation began. */
export type ProgressEvent =
  | { readonly type: "started"; readonly phase: Phase; readonly at: number }
  /** A silent repetition within the phase: a failed connect, a stale nonce, a dropped link. */
  | { readonly type: "retrying"; readonly phase: Phase; readonly at: number; readonly reason: RetryReason }
  /** 0…1 of the bytes of `write`; 1 of `display` as the tag says that it shows them (COMMITTED). */
  | {
      readonly type: "progress";
      readonly phase: MeasuredPhase;
      readonly at: number;
      readonly fraction: number;
    }
  | { readonly type: "done"; readonly phase: Phase; readonly at: number; readonly duration: number }
  /** What the tag reported about itself, after it was read. */
  | { readonly type: "tag"; readonly at: number; readonly device: TagDevice };

export type RetryReason =
  | "connect_failed"
  | "link_lost"
  | "stale_nonce"
  | "token_refused"
  | "journey_changed";

export interface OperationOptions {
  /**
   * Cancels within 200 ms at every step. Once the tag has its commit, the outcome is settled in the
   * background.
   */
  readonly signal?: AbortSignal;
  readonly onProgress?: (event: ProgressEvent) => void;
}

export interface CustodyProofInput {
  readonly recordLocator: string;
  /** Any case; upper-cased before it is sent. */
  readonly surname: string;
}

/** One request for a custody proof. */
export interface CustodyProofPrompt {
  readonly uniqueDeviceId: string;
  readonly hints: CustodyHints;
  /** 1 for the first submission. */
  readonly attempt: number;
  /** Submissions left, this one included. */
  readonly attemptsLeft: number;
  /** Why the submission before this one failed. */
  readonly lastSubmissionError?: ServiceError;
  /** What the request already knows: show it in the fields. */
  readonly prefill?: Partial<CustodyProofInput>;
  /** Fires when the operation was cancelled: close the dialog. */
  readonly signal: AbortSignal;
}

/** The host's dialog. Null means the person gave up. */
export interface CustodyProofCollector {
  collect(prompt: CustodyProofPrompt): Promise<CustodyProofInput | null>;
}

/** A tag that shows a label which is probably another person's; it is locked to no one. */
export interface OtherLabelInfo {
  readonly device: TagDevice;
  /** Fires when the operation was cancelled: close the dialog. */
  readonly signal: AbortSignal;
}

/** The host's question. `keep` ends the operation with `OtherLabelError`, and the tag stays as it is. */
export type OnOtherLabel = (info: OtherLabelInfo) => "replace" | "keep" | Promise<"replace" | "keep">;

/** What a transaction token should allow. */
export interface TransactionTokenRequest {
  /** As read from the tag. */
  readonly uniqueDeviceId: string;
  readonly generation: GattVersion;
  /** The tag's, 16 bytes. */
  readonly nonce: Bytes;
  readonly operation: "write" | "clear";
  /** SHA-256 of the payload. */
  readonly payloadDigest: Bytes;
  /** v2.1: 32 bytes. */
  readonly channelBinding?: Bytes;
  /** v2.1: DER. */
  readonly tagCertificate?: Bytes;
  /** The service compares the payload with this bag of the caller's. */
  readonly baggageId?: number;
  /** The bag that is meant, whether or not its content is to be compared. */
  readonly forBaggageId?: number;
  /** v2.1: what the tag signed over the service's challenge. */
  readonly tagStatement?: Bytes;
}

/** Every operation ends in one of these; none throws. */
export type Result<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: TaglatchError };

/** Write one bag's label to one tag and lock the tag to its journey. */
export interface TransferTagRequest {
  /** BLE device id, as `pickTag` gave it. */
  readonly deviceId: string;
  /** The tag's own id, as read from it; compared case-insensitively, sent as read. */
  readonly uniqueDeviceId: string;
  /** int32, at least 1. */
  readonly baggageId: number;
  readonly journeyId: string;
  /** The label itself, if the host has made it. Bound to the token, not approved by the service. */
  readonly displayTicket?: DisplayTicket;
  /** The journey, if the host has it: the label is made from it. Bound to the token, not approved. */
  readonly journey?: Journey;
  /** Arrives filled in the collector's dialog. Both are submitted as they are, once, where no collector is set. */
  readonly recordLocator?: string;
  readonly custodyProofSurname?: string;
  /** Take the tag from another bag of the same person. Without it that fails with `OtherBagError`. */
  readonly move?: boolean;
  /** Takes precedence over the collector argument and the configured one. */
  readonly custodyProofCollector?: CustodyProofCollector;
  /** Takes precedence over the configured one. */
  readonly onOtherLabel?: OnOtherLabel;
}

export interface ClearTagRequest {
  readonly deviceId: string;
  readonly uniqueDeviceId: string;
  /** The bag that the tag carries, where the host knows it: named to the service beside the tag. */
  readonly baggageId?: number;
  /**
   * The booking of the tag's holder. Where the tag turns out to be locked to another journey whose hints fit, both are
   * submitted as a custody proof, once.
   */
  readonly recordLocator?: string;
  readonly custodyProofSurname?: string;
}

export interface TransferResult {
  /** The tag shows the label, but the service does not know yet: the outbox will report it, unless it {@link refused}. */
  readonly pendingRetry: boolean;
  /** With `pendingRetry`: the service refused for good, `cause` says why, and the outbox will not try again. */
  readonly refused?: true;
  /**
   * The tag has signed that its last commit is this one: it was not written since. False for a tag that
   * does not sign (all of v2.0), and where its receipt was lost; the write is no less done.
   */
  readonly confirmedByTag: boolean;
  /** The tag showed another person's label, as far as its statement or, of v2.0, its display says. */
  readonly replacedOtherLabel?: true;
  readonly device: TagDevice;
  /** The reason for `pendingRetry`. */
  readonly cause?: TaglatchError;
  /** Milliseconds from the call to the result. */
  readonly elapsed: number;
}

/** The same for a clear: `pendingRetry` means the tag is blank, but still locked at the service. */
export type ClearResult = TransferResult;

/** What a tag shows of an unresolved outbox entry; `nothing_open`: there was none for this tag. */
export type SettleOutcome = "written" | "not_written" | "nothing_open";

export interface SettleResult {
  readonly outcome: SettleOutcome;
  /** Something of this tag is still to be reported to the service: the outbox will. */
  readonly pendingRetry: boolean;
  readonly device: TagDevice;
}

/** What `pickTag` and `connect` found. The link stays open for the next operation. */
export interface PickedTag extends TagDevice {
  /** What people call it; derived from the id. */
  readonly name: string;
}

/** A tag chosen in an earlier visit: {@link Taglatch.connect} reaches it without the chooser. */
export interface RememberedTag {
  readonly deviceId: string;
  readonly name: string;
}

export interface PickOptions extends OperationOptions {
  /** Shows only this tag, as far as its name shows. */
  readonly uniqueDeviceId?: string;
}

export type LoginMethod = "guest" | "federated" | "attestation" | "b2b-secret";

/** Who is signed in. `none` becomes `guest` automatically at the first call that needs a session. */
export interface SessionState {
  readonly method: LoginMethod | "none";
  /** Milliseconds since 1970; of the refresh token if there is one. */
  readonly expiresAt?: number;
}

/** Evidence of the identified login (rules §3). */
export interface AttestationEvidence {
  readonly fmt: "webauthn" | "apple-appattest" | "play-integrity" | "demo";
  readonly [member: string]: unknown;
}

/** What evidence must be about. */
export interface AttestationChallenge {
  readonly nonce: string;
  /** RFC 7638 thumbprint of the app's key, base64url. */
  readonly thumbprint: string;
  /** SHA-256 of both, base64url: the client data hash of App Attest, the nonce of Play Integrity. */
  readonly digest: string;
}

/** An app's evidence, and the e-mail address that the service asks for with it. */
export interface AppEvidence {
  readonly email: string;
  readonly evidence: AttestationEvidence;
}

/** What is still to be reported to the service: ids only, no personal data, no token. */
export interface OutboxEntry {
  readonly id: string;
  readonly kind: "attach" | "unlock";
  readonly uniqueDeviceId: string;
  /** Of `attach`. */
  readonly baggageId?: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly tries: number;
  /** When its pause is over, which grows from try to try: milliseconds since 1970, absent before the first. */
  readonly nextTryAt?: number;
  /**
   * Waits for the tag instead of the service; `settleTag` settles it. `written`: the page ended between
   * the commit and the tag's answer, and whether the tag took it is unknown. `stale`: the service knows
   * something newer from the tag.
   */
  readonly unresolved?: "written" | "stale";
}

export type OutboxEvent =
  | { readonly type: "added"; readonly entry: OutboxEntry }
  | { readonly type: "sent"; readonly entry: OutboxEntry }
  /** The service refused for good, or was not reached in 14 days (`never_confirmed`): show the person what is true now (`error.code`). */
  | { readonly type: "dropped"; readonly entry: OutboxEntry; readonly error: ServiceError }
  | { readonly type: "kept"; readonly entry: OutboxEntry; readonly error: TaglatchError }
  /** The tag was asked. What it took is reported to the service next, under another id; the rest was never written. */
  | { readonly type: "settled"; readonly entry: OutboxEntry; readonly written: boolean }
  /** The unresolved entry was discarded. */
  | { readonly type: "ended"; readonly entry: OutboxEntry };

export interface FlushReport {
  readonly sent: number;
  /** The entries that the service took in this flush: what has vanished otherwise was not sent. */
  readonly sentIds: readonly string[];
  readonly dropped: number;
  readonly left: number;
  /** Entries that wait for their tag ({@link OutboxEntry.unresolved}); not counted in `left`. */
  readonly asking: number;
}
