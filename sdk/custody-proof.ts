import { foldLocator } from "../core/bag/record-locator.ts";
import { plainText } from "../core/bag/typed-text.ts";
import type { ServiceError } from "./errors.ts";
import type { CustodyHints } from "./records.ts";

export interface CustodyProofInput {
  readonly recordLocator: string;
  /** Any case; upper-cased before it is sent. */
  readonly surname: string;
}

/**
 * Whether this booking may be the one that `hints` mask. Another is not worth a guess: it counts against the limit, and the
 * lock's holder is notified.
 */
export function mayUnlock(
  { maskedRecordLocator, maskedSurname }: CustodyHints,
  { recordLocator, surname }: CustodyProofInput,
): boolean {
  const begins = (mask: string | undefined, text: string) => mask !== undefined && mask[0] === text[0];
  const isSame = begins(maskedSurname, plainText(surname).toUpperCase());
  return isSame && begins(maskedRecordLocator, foldLocator(recordLocator));
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
