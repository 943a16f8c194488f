import { plainText } from "../../core/bag/typed-text.ts";

/** What is told of a booking to whoever must not know its secret: locator and surname (rules §5). */

/** Always the same number of dots, so that a mask reveals no length (rules §5). */
export const MASK = "•••••";

/** The first letter of `text` in upper case, then the mask. */
export function masked(text: string): string {
  const [first = ""] = plainText(text).toUpperCase();
  return `${first}${MASK}`;
}
