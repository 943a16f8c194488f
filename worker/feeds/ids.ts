import { fold } from "../../core/bag/surname.ts";
import type { BearerContext } from "../context.ts";
import { hmacText } from "../secrets/lookup-keys.ts";

/**
 * Ids of what feeds create. Each follows from the content, so that the same message sent twice at once
 * creates one row; it is computed under PEPPER, so that it reveals nothing of the content. A known
 * booking or passenger keeps its id.
 */

/** Characters, 132 bits: these ids are in the rows and indexes of eight tables. */
const LENGTH = 22;
const idOf = async (...named: Parameters<typeof hmacText>) => (await hmacText(...named)).slice(0, LENGTH);

export const planIdOf = (
  { settings }: BearerContext,
  booking: { readonly airline: string; readonly locatorHash: string; readonly firstFlightDate: string },
) => idOf(settings.pepperKey, "plan", booking.airline, booking.locatorHash, booking.firstFlightDate);

/** `nth` distinguishes passengers of the same name. */
export const journeyIdOf = (
  { settings }: BearerContext,
  planId: string,
  name: { readonly surname: string; readonly givenName: string },
  nth: number,
) => {
  const [surname = "", givenName = ""] = [fold(name.surname)[0], fold(name.givenName)[0]];
  return idOf(settings.pepperKey, "journey", planId, surname, givenName, String(nth));
};
