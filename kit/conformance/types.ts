/**
 * Answers of a tag, and verdicts of checks.
 */
import type { Bytes } from "../../core/encoding/bytes.ts";
import type { Seen } from "./seen.ts";

export type CheckOutcome = "pass" | "fail" | "skip";

export interface Verdict {
  readonly outcome: CheckOutcome;
  readonly seen: Seen;
}

/** The tag's answer, on either path. */
export type Answer =
  | { readonly kind: "alert"; readonly code: number }
  | { readonly kind: "edhocError"; readonly code: number; readonly suitesR: readonly number[] }
  | { readonly kind: "edhoc" | "app"; readonly message: Bytes }
  /** `[17, code]` on v2.1, STATUS on v2.0. */
  | { readonly kind: "code"; readonly code: number }
  /** `[18, statement]`. */
  | { readonly kind: "statement"; readonly statement: Bytes }
  /** The link ended without an answer. */
  | { readonly kind: "gone" }
  /** Two held reads in a row came back empty. */
  | { readonly kind: "silence" }
  /** Frames or records that cannot be read. */
  | { readonly kind: "garbage" };

/** Why a check cannot be run here. */
export class Skipped extends Error {
  override readonly name: string = "Skipped";
  readonly reason: Seen;
  constructor(...reason: Seen) {
    super(reason[0]);
    this.reason = reason;
  }
}

/** The service refuses a token; `cause` is its error. */
export class NotPermitted extends Skipped {
  override readonly name = "NotPermitted";
  readonly code: string;
  constructor(code: string, cause?: unknown) {
    super("notPermitted", code);
    this.code = code;
    this.cause = cause;
  }
}

export function verdict(passed: boolean, ...seen: Seen): Verdict {
  return { outcome: passed ? "pass" : "fail", seen };
}

/** Chain (leaf first, DER) and key of a client. */
export interface ClientCredential {
  readonly chain: readonly Bytes[];
  readonly privateKey: CryptoKey;
}
