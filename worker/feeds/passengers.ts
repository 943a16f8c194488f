import type { JourneyPassenger } from "../../core/api/index.ts";
import { givenNameFit, isSameSurname } from "../../core/bag/passenger-name.ts";
import type { BearerContext } from "../context.ts";
import { journeyIdOf } from "./ids.ts";
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
    isNew: true,
    isChanged: true,
    flightsBefore: fresh.flights,
  };
  plan.journeys.push(journey);
  return journey;
}

/**
 * Among those with the surname: the one with the given name, else the only one whose given name begins alike.
 */
export function named(
  journeys: readonly FedJourney[],
  { surname, givenName }: JourneyPassenger,
): FedJourney | undefined {
  const family = journeys.filter(({ passenger }) => isSameSurname(passenger.surname, surname));
  const fits = family.map((journey) => ({
    journey,
    fit: givenNameFit(journey.passenger.givenName, givenName),
  }));
  const same = fits.find(({ fit }) => fit === 2);
  if (same !== undefined) return same.journey;
  const alike = fits.filter(({ fit }) => fit === 1);
  return alike.length === 1 ? alike[0]?.journey : undefined;
}

const isSame = (a: JourneyPassenger, b: JourneyPassenger) =>
  isSameSurname(a.surname, b.surname) && givenNameFit(a.givenName, b.givenName) === 2;

/** Whether two names may be one passenger's, one of them cut short. */
export const mayBeOne = (a: JourneyPassenger, b: JourneyPassenger) =>
  isSameSurname(a.surname, b.surname) && givenNameFit(a.givenName, b.givenName) > 0;
