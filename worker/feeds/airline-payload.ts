import { and, eq, sql } from "drizzle-orm";
import type {
  AirlinePayloadFlight,
  AirlinePayloadPassenger,
  Journey,
  JourneysFromAirlinePayloadRequest,
  JourneysFromAirlinePayloadResponse,
} from "../../core/api/index.ts";
import { beyondReach, MOST_PASSENGERS } from "../../core/bag/bsm-elements.ts";
import { givenNameFit } from "../../core/bag/passenger-name.ts";
import { devices, deviceTicketLocks, journeys, NOTHING_ENDED, travelPlans } from "../../db/schema.ts";
import { byCaller } from "../audit/log.ts";
import type { BearerContext } from "../context.ts";
import { attemptsOf, inBatch, inList, transact } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import type { Http } from "../http/route.ts";
import { type JourneyTexts, readBooking, viewJourneys } from "../journeys/view.ts";
import { locatorHash } from "../secrets/sealed.ts";
import { newPlan } from "./baggage-message-rules.ts";
import { endOf, endsLockEarly, flightReach } from "./lock-ends.ts";
import {
  carriersOf,
  type FedFlight,
  type FedJourney,
  type FedPlan,
  type FeedModel,
  linesOn,
} from "./model.ts";
import { named, passengerIn } from "./passengers.ts";
import { readFeed } from "./reads.ts";
import { auditFeed, feedWrites, recordRemoval } from "./writes.ts";

type Payload = JourneysFromAirlinePayloadRequest;

/**
 * Takes one booking from its airline (rules §4): creates it, updates it, or withdraws it. Passengers and bags that the
 * payload does not name stay; the same payload again changes nothing. All of it or nothing.
 *
 * Throws `insufficient_scope` for another airline's booking, flights or plates, `invalid_request` for an impossible one,
 * `bag_limit`, `baggage_not_found` for a plate that another booking has on that day, `device_locked` where a tag is
 * locked to a bag that would go, or its lock would end early.
 */
export async function takePayload(
  ctx: BearerContext,
  payload: Payload,
  http: Pick<Http, "ignored">,
): Promise<JourneysFromAirlinePayloadResponse> {
  const { journeys, unstored } = await taken(ctx, payload);
  const ignored = [...http.ignored(), ...unstored].slice(0, MOST_IGNORED);
  return { journeys: [...journeys], ...(ignored.length > 0 && { ignored }) };
}

const MOST_IGNORED = 20;

/** `unstored`: dotted names of what the service reads and did not store. */
async function taken(
  ctx: BearerContext,
  payload: Payload,
): Promise<{ readonly journeys: readonly Journey[]; readonly unstored: readonly string[] }> {
  requireOwn(ctx, payload);
  const flights = payload.flights.map(flightOf);
  requirePossible(ctx, payload, flights);
  const plates = payload.passengers.flatMap(({ baggage = [] }) =>
    baggage.map(({ licencePlate }) => licencePlate),
  );
  const hash = await locatorHash(ctx.settings.pepperKey, payload.recordLocator);
  const { airline, recordLocator, passengers } = payload;
  const firstFlightDate = flights[0]?.date ?? "";
  const booking = { airline, recordLocator, locatorHash: hash, firstFlightDate };
  const { journeys, unstored } = await transact<FeedModel, Taken>(ctx.db, {
    ...attemptsOf(ctx),
    read: () => readFeed(ctx, { locatorHashes: [hash], plates }),
    plan: async (model) => {
      const known = model.plan(booking, flights, firstFlightDate);
      if (payload.withdraw !== undefined) {
        const left = known === undefined ? [] : await withdraw(ctx, known, payload);
        return { decision: { journeys: async () => left, unstored: [] }, commit: undefined };
      }
      const plan = known ?? model.addPlan(await newPlan(ctx, booking));
      const unstored = await applyAll(ctx, model, plan, { flights, passengers });
      let read: JourneyTexts = [];
      return {
        decision: { journeys: () => viewJourneys(ctx, read), unstored },
        commit: await commitOf(ctx, model, plan),
        committed: (answers) => {
          ({ read } = answers as { read: JourneyTexts });
        },
      };
    },
  });
  return { journeys: await journeys(), unstored };
}

interface Taken {
  readonly journeys: () => Promise<readonly Journey[]>;
  readonly unstored: readonly string[];
}

/** What changed, and a read of the whole booking. */
async function commitOf(ctx: BearerContext, model: FeedModel, plan: FedPlan) {
  const writes = await feedWrites(ctx, model);
  const outcome = plan.isNew ? "created" : "updated";
  return {
    ...(writes && { ...writes, audit: auditFeed(ctx, "booking_fed", plan.airline, outcome) }),
    read: readBooking(ctx, { planId: plan.id }),
  };
}

/** Each airline issues its own locators: without a flight of its own, a booking may be another airline's. */
function requireOwn({ principal }: BearerContext, { airline, flights }: Payload): void {
  const isOwn = (one: string) => principal.airlines.includes(one);
  const refuse = (error: string) => new ApiError("insufficient_scope", { errors: [error] });
  if (!isOwn(airline)) throw refuse("airline must be one the session acts for");
  if (!flights.some(({ carrier }) => isOwn(carrier)))
    throw refuse("flights must have one of an airline that the session acts for");
}

function flightOf({ scheduledDeparture, scheduledArrival, ...flight }: AirlinePayloadFlight): FedFlight {
  const instant = (text: string | undefined) => (text === undefined ? null : Date.parse(text));
  return {
    ...flight,
    scheduledDeparture: instant(scheduledDeparture),
    scheduledArrival: instant(scheduledArrival),
  };
}

const DAY = 86_400_000;

/** The checks of a booking that a schema cannot express; dates are of the airport, hence a day's margin. */
function requirePossible(ctx: BearerContext, { passengers }: Payload, flights: readonly FedFlight[]): void {
  const plates = passengers.flatMap(({ baggage = [] }) => baggage.map(({ licencePlate }) => licencePlate));
  const reach = flightReach(ctx);
  const faults = [
    ...flights.flatMap(({ date, scheduledDeparture, scheduledArrival }, i) => [
      ...(i > 0 && date < (flights[i - 1]?.date ?? "")
        ? [`flights.${i}.date must not be before the flight before`]
        : []),
      ...faultOf(beyondReach(date, ctx.now, reach), `flights.${i}.date must be`),
      ...(scheduledDeparture !== null && scheduledArrival !== null && scheduledArrival <= scheduledDeparture
        ? [`flights.${i}.scheduledArrival must be after scheduledDeparture`]
        : []),
      ...(scheduledArrival !== null && scheduledArrival < Date.parse(date) - DAY
        ? [`flights.${i}.scheduledArrival must not be before date`]
        : []),
      ...([scheduledDeparture, scheduledArrival].every((time) => time === null || isNear(time, date))
        ? []
        : [`flights.${i}.scheduledDeparture and scheduledArrival must be about date`]),
    ]),
    ...(new Set(plates).size < plates.length ? ["baggage must have each licencePlate once"] : []),
    ...(endOf(ctx.settings.limits, flights) <= ctx.now ? ["flights must not be past"] : []),
  ];
  if (faults.length === 0) return;
  throw impossible(faults);
}

const impossible = (errors: readonly string[]) =>
  new ApiError("invalid_request", { message: "The booking cannot be as it is told.", errors });

const faultOf = (fault: string | undefined, subject: string) =>
  fault === undefined ? [] : [`${subject} ${fault}`];

/**
 * A lock lasts as long as these times say: with one in the year 9999 it would never end. No flight takes
 * three days.
 */
const isNear = (time: number, date: string) => Math.abs(time - Date.parse(date)) <= 3 * DAY;

/** Returns the given names that were not stored: a passenger with a longer or shorter one keeps it. */
async function applyAll(
  ctx: BearerContext,
  model: FeedModel,
  plan: FedPlan,
  {
    flights,
    passengers,
  }: { readonly flights: readonly FedFlight[]; readonly passengers: Payload["passengers"] },
): Promise<readonly string[]> {
  const spokenFor = new Set<FedJourney>();
  const unstored: string[] = [];
  for (const [i, passenger] of passengers.entries()) {
    const { surname, givenName, cabin = null, destinationCity = null } = passenger;
    const among = plan.journeys.filter((journey) => !spokenFor.has(journey));
    const fresh = { flights, cabin, destinationCity };
    const journey = await passengerIn(ctx, plan, { surname, givenName }, fresh, among);
    spokenFor.add(journey);
    const isStored = journey.isNew || givenNameFit(journey.passenger.givenName, givenName) === 2;
    if (!isStored && givenName.trim() !== "") unstored.push(`passengers.${i}.givenName`);
    bringUpToDate(journey, {
      flights,
      cabin: cabin ?? journey.cabin,
      destinationCity: destinationCity ?? journey.destinationCity,
    });
    addBags(ctx, model, journey, passenger, `passengers.${i}`);
  }
  if (plan.journeys.length > MOST_PASSENGERS && plan.journeys.some(({ isNew }) => isNew)) {
    throw impossible([`passengers must be at most ${MOST_PASSENGERS} with those whom the booking has`]);
  }
  if (endsLockEarly(ctx, plan)) {
    throw new ApiError("device_locked", { errors: ["flights would end the lock of a tag too early"] });
  }
  return unstored;
}

function bringUpToDate(
  journey: FedJourney,
  { flights, cabin, destinationCity }: Pick<FedJourney, "flights" | "cabin" | "destinationCity">,
): void {
  const hasNewFlights = spelled(flights) !== spelled(journey.flights);
  const isOther = cabin !== journey.cabin || destinationCity !== journey.destinationCity;
  journey.isChanged ||= hasNewFlights || isOther;
  if (hasNewFlights) {
    for (const bag of journey.bags) bag.loading = linesOn(flights[0], bag.loading, journey.flights[0]);
    journey.flights = flights;
  }
  Object.assign(journey, { cabin, destinationCity });
}

/** Flights as text, with their fields in one order, whatever order they came in. */
const spelled = (flights: readonly FedFlight[]) => JSON.stringify(flights.map(ordered));

const ordered = ({ carrier, number, date, from, to, scheduledDeparture, scheduledArrival }: FedFlight) => [
  ...[carrier, number, date, from, to, scheduledDeparture, scheduledArrival],
];

function addBags(
  ctx: BearerContext,
  model: FeedModel,
  journey: FedJourney,
  { baggage = [] }: AirlinePayloadPassenger,
  name: string,
): void {
  const day = journey.flights[0]?.date ?? journey.plan.firstFlightDate;
  for (const [i, { licencePlate, readable = null, flags }] of baggage.entries()) {
    const known = model.bagNear(licencePlate, day);
    if (known?.journey === journey) {
      const sent = {
        readable: readable ?? known.readable,
        flags: flags === undefined ? known.flags : flags || null,
      };
      known.isChanged ||= sent.readable !== known.readable || sent.flags !== known.flags;
      journey.isChanged ||= known.isChanged;
      Object.assign(known, sent);
    } else {
      requirePlate(model, journey.plan, { licencePlate, day }, `${name}.baggage.${i}.licencePlate`);
      const row = { licencePlate, flightDate: day, journey, isLocked: false, isChanged: false, loading: [] };
      model.addBag({ ...row, readable, flags: flags || null });
    }
  }
  if (journey.bags.length > ctx.settings.limits.maxBagsPerJourney) throw new ApiError("bag_limit");
}

/** Throws `insufficient_scope`, `baggage_not_found`, `device_locked`; a plate of the airline's own range is taken back. */
function requirePlate(
  model: FeedModel,
  plan: FedPlan,
  { licencePlate, day }: { readonly licencePlate: string; readonly day: string },
  name: string,
): void {
  const availability = model.availability(licencePlate, day, plan.airline);
  if (availability === "taken")
    throw new ApiError("baggage_not_found", { errors: [`${name} is another passenger's about that day`] });
  const owner = model.foreignOwner(licencePlate, carriersOf(plan));
  if (owner !== undefined)
    throw new ApiError("insufficient_scope", { errors: [`${name} is of the range of ${owner}`] });
  if (availability === "locked")
    throw new ApiError("device_locked", { errors: [`${name} is on a locked tag`] });
  if (availability === "reclaimable") model.takeBack(licencePlate, day);
}

/**
 * Withdraws a booking, or passengers of it, with flights and bags (rules §4); returns what is left of it. All of it or
 * nothing: while a tag is locked to one of the bags, the lock would point at nothing. A passenger who is absent was
 * withdrawn before.
 *
 * Throws `device_locked`.
 */
async function withdraw(
  ctx: BearerContext,
  plan: FedPlan,
  payload: JourneysFromAirlinePayloadRequest,
): Promise<readonly Journey[]> {
  const removed =
    payload.withdraw === "booking"
      ? plan.journeys
      : payload.passengers.flatMap((passenger) => named(plan.journeys, passenger) ?? []);
  const ids = [...new Set(removed.map(({ id }) => id))];
  const { deleted, read } = await inBatch(ctx.db, {
    ...withdrawing(ctx, plan, ids),
    read: readBooking(ctx, { planId: plan.id }),
  });
  const left = await viewJourneys(ctx, read);
  if (deleted.length < ids.length && left.some(({ journeyId }) => ids.includes(journeyId))) {
    throw new ApiError("device_locked");
  }
  return left;
}

function withdrawing(ctx: BearerContext, { id, airline }: FedPlan, ids: readonly string[]) {
  const { db, now } = ctx;
  const lock = deviceTicketLocks;
  const removed = inList(ids);
  const isFree = sql`not exists (select 1 from ${lock} where ${lock.planId} = ${id}
    and ${lock.journeyId} in ${removed} and ${lock.endsAt} > ${now})`;
  const exists = sql`exists (select 1 from ${journeys} where ${journeys.id} in ${removed})`;
  // A lock that has ended still needs its booking, until the sweeper has recorded its end.
  const isEmpty = and(
    eq(travelPlans.id, id),
    sql`not exists (select 1 from ${journeys} where ${journeys.planId} = ${id})`,
    sql`not exists (select 1 from ${lock} where ${lock.planId} = ${id})`,
  );
  return {
    removed: recordRemoval(ctx, sql`${journeys.id} in ${removed} and ${isFree}`, byCaller(ctx)),
    audit: auditFeed(ctx, "booking_fed", airline, "withdrawn", sql`where ${exists} and ${isFree}`),
    deleted: db
      .delete(journeys)
      .where(sql`${journeys.id} in ${removed} and ${isFree}`)
      .returning({ id: journeys.id }),
    forgotten: db
      .update(devices)
      .set(NOTHING_ENDED)
      .where(and(eq(devices.endedPlanId, id), sql`exists (select 1 from ${travelPlans} where ${isEmpty})`)),
    emptied: db.delete(travelPlans).where(isEmpty),
  };
}
