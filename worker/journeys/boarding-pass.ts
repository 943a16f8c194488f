import { and, eq, gt, inArray } from "drizzle-orm";
import type { JourneyFromBcbpRequest, JourneyWithCompanions } from "../../core/api/index.ts";
import { type BoardingPass, type BoardingPassLeg, parseBcbp } from "../../core/bag/bcbp.ts";
import { FormatError } from "../../core/bag/errors.ts";
import { givenNameFit } from "../../core/bag/passenger-name.ts";
import { foldLocator } from "../../core/bag/record-locator.ts";
import { presentedTokens } from "../../core/bag/surname.ts";
import { flights, journeys, travelPlans } from "../../db/schema.ts";
import type { Host } from "../acceptance/ask.ts";
import { readHosts } from "../acceptance/booking.ts";
import type { BearerContext, Principal, RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import { budgetsOf } from "../guards/guess-budget.ts";
import { readingFirst } from "../http/read-first.ts";
import { locatorHash } from "../secrets/sealed.ts";
import { openPassenger } from "../secrets/sealed-passenger.ts";
import { ofAirlines, ofNamed } from "./airlines.ts";
import { type Candidate, namesakes, openFound } from "./load.ts";

/**
 * Finds a booking that is not yet past by a boarding pass (rules §4): by the locator of one of its legs
 * together with the passenger's name and that leg's carrier, number and date. It then does what
 * {@link openFound} does and creates nothing, because any caller can print a pass. It draws on the same budget
 * as typing locator and surname.
 *
 * Each leg has the locator of its carrier (Resolution 792), so the bookings of the first leg's carrier go before those of
 * other airlines, then those of the next leg's.
 *
 * Throws `invalid_bcbp_format` with the column, `too_many_attempts`, `journey_not_found`, `airline_required`.
 */
export const loadBoardingPass = readingFirst(load, async (ctx, { staff }, input: JourneyFromBcbpRequest) => {
  // Staff's airlines are their session's.
  if (staff) return undefined;
  const located = await locatedLegs(ctx, readPass(ctx, input.scanData).legs);
  return { rows: passengersOf(ctx, located, input.airline) };
});

async function load(
  ctx: BearerContext,
  { scanData, airline }: JourneyFromBcbpRequest,
): Promise<JourneyWithCompanions> {
  const pass = readPass(ctx, scanData);
  const located = await locatedLegs(ctx, pass.legs);
  return openFound(ctx, {
    read: () => passengersOf(ctx, located, airline, ctx.principal),
    async find(rows) {
      const found = await Promise.all(located.map((legs) => travellers(ctx, rows, legs, pass.surname)));
      return bestNamed(ctx, ofCarrier(found.flat(), pass.legs), pass.givenName ?? "");
    },
    // Only the locator that was right costs nothing: with a booking of one's own, a pass would try eight more.
    budgets: budgetsOf(ctx, { locators: located.map(({ hash }) => hash) }),
    hosts: readHosts(ctx, airline),
    questionsFor: (hosts) => questionsOf(hosts, located, pass.surname),
  });
}

/** Each carrier's host is asked for the locators of its own legs. */
const questionsOf = (hosts: readonly Host[], located: readonly Located[], surname: string) =>
  located.flatMap(({ locator, legs }) =>
    hosts
      .filter(({ airline }) => legs.some(({ carrier }) => carrier === airline))
      .map((host) => ({ host, wanted: { recordLocator: locator, surname } })),
  );

/** The bookings of the airline that is the carrier of one of its legs; all of them where no airline is. */
function ofCarrier(found: readonly Traveller[], legs: readonly BoardingPassLeg[]): readonly Traveller[] {
  const carrier = legs.find((leg) =>
    found.some(({ airline, flown }) => airline === leg.carrier && flown.includes(leg)),
  )?.carrier;
  return carrier === undefined ? found : found.filter(({ airline }) => airline === carrier);
}

function readPass({ now, unread }: RequestContext, scanData: string): BoardingPass {
  try {
    return parseBcbp(scanData, now, (part) => unread.add(part));
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new ApiError("invalid_bcbp_format", {
      message: `The boarding pass data is malformed at position ${error.at}.`,
      errors: [`scanData must have ${error.expected} at position ${error.at}`],
    });
  }
}

/** The legs under one locator, and the keys by which a booking is found. */
interface Located {
  readonly locator: string;
  readonly hash: string;
  readonly legs: readonly BoardingPassLeg[];
}

function locatedLegs(ctx: RequestContext, legs: readonly BoardingPassLeg[]): Promise<readonly Located[]> {
  const groups = Map.groupBy(legs, ({ recordLocator }) => foldLocator(recordLocator));
  return Promise.all(
    [...groups].map(async ([locator, own]) => {
      return { locator, hash: await locatorHash(ctx.settings.pepperKey, locator), legs: own };
    }),
  );
}

/**
 * Every passenger under the locators with every flight, the next flight first; for staff only within their
 * airlines.
 */
const passengersOf = (
  { db, now }: RequestContext,
  located: readonly Located[],
  airline: string | undefined,
  caller?: Pick<Principal, "staff" | "airlines">,
) =>
  db
    .select({
      id: journeys.id,
      planId: journeys.planId,
      airline: travelPlans.airline,
      locatorHash: travelPlans.locatorHash,
      surnameTokens: journeys.surnameTokens,
      passengerSealed: journeys.passengerSealed,
      carrier: flights.carrier,
      number: flights.number,
      date: flights.date,
    })
    .from(travelPlans)
    .innerJoin(journeys, eq(journeys.planId, travelPlans.id))
    .innerJoin(flights, eq(flights.journeyId, journeys.id))
    .where(
      and(
        inArray(
          travelPlans.locatorHash,
          located.map(({ hash }) => hash),
        ),
        gt(travelPlans.endsAt, now),
        ofNamed(airline),
        caller?.staff ? ofAirlines(caller.airlines) : undefined,
      ),
    )
    .orderBy(travelPlans.firstFlightDate, travelPlans.endsAt, journeys.id, flights.position);

type Row = Awaited<ReturnType<typeof passengersOf>>[number];
interface Traveller extends Candidate {
  readonly locatorHash: string;
  readonly airline: string;
  readonly passengerSealed: string | null;
  /** The legs of the pass that are among the journey's flights. */
  readonly flown: readonly BoardingPassLeg[];
}

/** The passengers under this locator who have the surname and one of the flights. */
async function travellers(
  { now, settings }: BearerContext,
  rows: readonly Row[],
  { locator, hash, legs }: Located,
  surname: string,
): Promise<readonly Traveller[]> {
  const under = Map.groupBy(
    rows.filter((row) => row.locatorHash === hash),
    ({ id }) => id,
  );
  const presented = await presentedTokens(settings.pepperKey, locator, surname, now);
  const passengers = [...under.values()].flatMap(([row]) => row ?? []);
  return namesakes(passengers, presented)
    .map((row) => ({ ...row, flown: legs.filter((leg) => under.get(row.id)?.some(isFlightOf(leg))) }))
    .filter(({ flown }) => flown.length > 0);
}

const isFlightOf =
  (leg: BoardingPassLeg) =>
  ({ carrier, number, date }: Row) =>
    leg.carrier === carrier && withoutZeros(leg.number) === withoutZeros(number) && leg.date === date;

const withoutZeros = (number: string) => number.replace(/^0+(?=.)/, "");

/** Among several with one surname, the one whose given name fits best goes first. */
async function bestNamed(
  { settings }: BearerContext,
  found: readonly Traveller[],
  givenName: string,
): Promise<readonly Traveller[]> {
  if (found.length < 2) return found;
  const named = found.map(async (traveller) => {
    const { id, passengerSealed } = traveller;
    if (passengerSealed === null) return { traveller, fit: -1 };
    const { passenger } = await openPassenger(settings.dataKey, id, passengerSealed);
    return { traveller, fit: givenNameFit(passenger.givenName, givenName) };
  });
  return (await Promise.all(named)).toSorted((a, b) => b.fit - a.fit).map(({ traveller }) => traveller);
}
