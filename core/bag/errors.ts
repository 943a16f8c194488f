/**
 * Why something about a bag was refused.
 *
 * - `LICENCE_PLATE`: not ten digits, or the plate that readers report for "unread". Ask for the number again.
 * - `DATE`: none of the accepted spellings of a day. The source of the journey is at fault.
 * - `PAYLOAD`: a ticket payload that is malformed, not deterministic or over a limit of its fields. Write
 *   nothing.
 * - `BCBP`: no boarding pass by IATA Resolution 792. Scan again, or ask for the record locator.
 * - `BSM`: no baggage source message by IATA RP 1745. The sender is at fault.
 */
export type BagErrorCode = "LICENCE_PLATE" | "DATE" | "PAYLOAD" | "BCBP" | "BSM";

/** The one error of core/bag. Its message is for developers and never repeats the value that was refused. */
export class BagError extends Error {
  override readonly name = "BagError";
  readonly code: BagErrorCode;
  constructor(code: BagErrorCode, message: string, cause?: unknown) {
    super(`${code}: ${message}`, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** What is wrong with a text of fixed form, and where. */
export class FormatError extends BagError {
  /** The first wrong place, from 1: the column of a boarding pass, the line of a message. */
  readonly at: number;
  /** What should stand there, in our words: nothing from the text. */
  readonly expected: string;
  constructor(code: "BCBP" | "BSM", at: number, expected: string) {
    super(code, `at ${at}: ${expected} expected`);
    this.at = at;
    this.expected = expected;
  }
}
