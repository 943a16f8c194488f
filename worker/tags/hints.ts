import type { EbtLockHints } from "../../core/api/index.ts";
import { MASK, masked } from "../journeys/masked.ts";

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
