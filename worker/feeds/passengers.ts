import type { JourneyPassenger } from "../../core/api/index.ts";
import { MOST_PASSENGERS } from "../../core/bag/bsm-elements.ts";
import { givenNameFit, givenNameForms, isSameSurname, surnameForms } from "../../core/bag/passenger-name.ts";
import { fold } from "../../core/bag/surname.ts";
import type { BearerContext } from "../context.ts";
import { hmacText } from "../secrets/sealed.ts";
import type { FedJourney, FedPlan } from "./model.ts";

/** The passengers of a booking: which of them a name means, and which are new. */

/**
 * The journey of `passenger` in `plan`, made from `fresh` if there is none; `among` are the journeys not yet
 * matched.
 */
export async function passengerIn(
  ctx: BearerContext,
  plan: FedPlan,
  passenger: JourneyPassenger,
  fresh: Pick<FedJourney, "flights" | "cabin" | "destinationCity">,
  among: readonly FedJourney[] = plan.journeys,
): Promise<FedJourney> {
  const known = named(among, passenger);
  if (known !== undefined) return known;
  const nth = plan.journeys.filter((other) => isSame(other.passenger, passenger)).length;
  const journey: FedJourney = {
    ...fresh,
    id: await journeyIdOf(ctx, plan.id, passenger, nth),
    plan,
    passenger,
    bags: [],
    passengerSealed: null,
    loading: {},
    isNew: true,
    isChanged: true,
    flightsBefore: fresh.flights,
  };
  plan.journeys.push(journey);
  return journey;
}

/**
 * Among those with the surname: the one with the given name, else the only one whose given name begins the same.
 */
export function named(journeys: readonly FedJourney[], passenger: JourneyPassenger): FedJourney | undefined {
  const fits = journeys.map((journey) => ({ journey, fit: fitOf(journey.passenger, passenger) }));
  const same = fits.find((one) => one.fit === 2);
  if (same !== undefined) return same.journey;
  const similar = fits.filter((one) => one.fit === 1);
  return similar.length === 1 ? similar[0]?.journey : undefined;
}

/** Whether the booking has room for those of `passengers` that it does not have. */
export function hasRoomFor({ journeys }: FedPlan, passengers: readonly JourneyPassenger[]): boolean {
  const added = passengers.filter((one) => named(journeys, one) === undefined).length;
  return added === 0 || journeys.length + added <= MOST_PASSENGERS;
}

const isSame = (a: JourneyPassenger, b: JourneyPassenger) => fitOf(a, b) === 2;

/** Whether two names may be one passenger's, one of them cut short. */
export const canMatch = (a: JourneyPassenger, b: JourneyPassenger) => fitOf(a, b) > 0;

function fitOf(one: JourneyPassenger, other: JourneyPassenger): 0 | 1 | 2 {
  const [a, b] = [formsOf(one), formsOf(other)];
  return isSameSurname(a.surname, b.surname) ? givenNameFit(a.givenName, b.givenName) : 0;
}

/** Cached as long as the name lives: a feed compares it with every other of its booking. */
const formsCache = new WeakMap<JourneyPassenger, ReturnType<typeof makeForms>>();

function formsOf(passenger: JourneyPassenger) {
  const forms = formsCache.get(passenger) ?? makeForms(passenger);
  formsCache.set(passenger, forms);
  return forms;
}

const makeForms = ({ surname, givenName }: JourneyPassenger) => ({
  surname: surnameForms(surname),
  givenName: givenNameForms(givenName),
});

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
const journeyIdOf = (
  { settings }: BearerContext,
  planId: string,
  name: { readonly surname: string; readonly givenName: string },
  nth: number,
) => {
  const [surname = "", givenName = ""] = [fold(name.surname)[0], fold(name.givenName)[0]];
  return idOf(settings.pepperKey, "journey", planId, surname, givenName, String(nth));
};
