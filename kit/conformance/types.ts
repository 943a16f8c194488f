/**
 * Answers of a tag, and verdicts of checks.
 */
import type { Bytes } from "../../core/encoding/bytes.ts";
import { STATUS, type StatusName } from "../../core/gatt/profile.ts";
import { statusName } from "../../core/gatt/values.ts";
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

/** Number and name of a status code, "16 FRAME". */
export function codeText(code: number): string {
  const name = statusName(code);
  return name === undefined ? `${code}` : `${code} ${name}`;
}

export function seenOf(answer: Answer): Seen {
  switch (answer.kind) {
    case "alert":
      return ["alert", codeText(answer.code)];
    case "edhocError":
      return answer.code === 2 ? ["suites", answer.suitesR.join(", ")] : ["edhocError", answer.code];
    case "edhoc":
    case "app":
      return ["message", answer.kind === "edhoc" ? "EDHOC" : "APP", answer.message.length];
    case "statement":
      return ["message", "[18]", answer.statement.length];
    case "code":
      return ["code", codeText(answer.code)];
    case "gone":
    case "silence":
    case "garbage":
      return [answer.kind];
  }
}

/** Alert `name` on SEC, or the same code in a record or in STATUS. */
export function isCode(answer: Answer, ...names: readonly StatusName[]): boolean {
  return (
    (answer.kind === "alert" || answer.kind === "code") && names.some((name) => STATUS[name] === answer.code)
  );
}

export function expectCode(answer: Answer, ...names: readonly StatusName[]): Verdict {
  return verdict(isCode(answer, ...names), ...seenOf(answer));
}

/** EDHOC error 1: says that the handshake failed, without a reason. */
export function expectError1(answer: Answer): Verdict {
  return verdict(answer.kind === "edhocError" && answer.code === 1, ...seenOf(answer));
}

/** The session is over: no further message, whether the link is still open or not. */
export function expectDead(answer: Answer): Verdict {
  return verdict(answer.kind === "gone" || answer.kind === "silence", ...seenOf(answer));
}
