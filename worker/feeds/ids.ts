import { fold } from "../../core/bag/surname.ts";
import { hmacText } from "../../db/lookup-keys.ts";
import type { BearerContext } from "../context.ts";

/**
 * Ids of what feeds create. They follow from what the thing is, so that the same message sent twice at once makes one
 * thing; under PEPPER, so that they tell nobody what that is.
 */

export const planIdOf = (
  { settings }: BearerContext,
  booking: { readonly airline: string; readonly locatorHash: string; readonly firstFlightDate: string },
) => hmacText(settings.pepperKey, "plan", booking.airline, booking.locatorHash, booking.firstFlightDate);

/** `nth` tells passengers of one name apart. */
export const journeyIdOf = (
  { settings }: BearerContext,
  planId: string,
  name: { readonly surname: string; readonly givenName: string },
  nth: number,
) => {
  const [surname = "", givenName = ""] = [fold(name.surname)[0], fold(name.givenName)[0]];
  return hmacText(settings.pepperKey, "journey", planId, surname, givenName, String(nth));
};
