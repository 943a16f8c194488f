import type { EbtLockHints } from "../../core/api/index.ts";

/** Always the same number of dots, so that a mask reveals no length (rules §5). */
const MASK = "•••••";

/** The first letter of `text` in upper case, then the mask. */
export function masked(text: string): string {
  const [first = ""] = text.normalize("NFC").trim().toUpperCase();
  return `${first}${MASK}`;
}

/** Whoever can count can claim, so a claim hints at nothing of the booking that it names. */
export const CLAIM_HINTS: EbtLockHints = { maskedRecordLocator: MASK, maskedSurname: MASK };

/**
 * What a stranger learns about the journey that a tag is locked to: enough for its passenger to recognise it.
 */
export function lockHints(journey: {
  readonly recordLocator: string;
  readonly surname: string;
  readonly departureAirport: string;
  readonly destinationAirport: string;
}): EbtLockHints {
  return {
    maskedRecordLocator: masked(journey.recordLocator),
    maskedSurname: masked(journey.surname),
    departureAirport: journey.departureAirport,
    destinationAirport: journey.destinationAirport,
  };
}
