import { plainText } from "../../core/bag/record-locator.ts";

/** Locator and surname, the secret of a booking, as callers without a right to it see them (rules §5). */

/** Always the same number of dots, so that a mask reveals no length (rules §5). */
export const MASK = "•••••";

/** The first letter of `text` in upper case, then the mask. */
export function masked(text: string): string {
  const [first = ""] = plainText(text).toUpperCase();
  return `${first}${MASK}`;
}
