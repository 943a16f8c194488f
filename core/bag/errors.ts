/**
 * Why something about a bag was refused.
 *
 * - `LICENCE_PLATE`: not ten digits, or the plate readers report for "unread". Ask for the number again.
 * - `DATE`: none of the accepted spellings of a day. The source of the journey is at fault.
 * - `PAYLOAD`: a ticket payload that is malformed, not deterministic or over a limit of its fields. Write nothing.
 */
export type BagErrorCode = "LICENCE_PLATE" | "DATE" | "PAYLOAD";

/** The one error of core/bag. Its message is for developers and never repeats the value that was refused. */
export class BagError extends Error {
  override readonly name = "BagError";
  readonly code: BagErrorCode;
  constructor(code: BagErrorCode, message: string, cause?: unknown) {
    super(`${code}: ${message}`, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
