import { foldLocator, plainText } from "../../core/bag/record-locator.ts";
import type { CustodyHints } from "../records.ts";
import type { CustodyProofInput } from "../types.ts";

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
