import type { ErrorCode, JourneyPassenger } from "../../core/api/index.ts";
import type { BaggageMessage } from "../../core/bag/bsm.ts";
import type { BsmFlight } from "../../core/bag/bsm-elements.ts";
import { LABEL_FLAG } from "../../core/bag/payload.ts";
import type { BearerContext } from "../context.ts";
import { planIdOf } from "./ids.ts";
import {
  type FedBag,
  type FedFlight,
  type FedJourney,
  type FedPlan,
  type FeedModel,
  isSameFlight,
} from "./model.ts";
import { hasRoomFor, mayBeOne, passengerIn } from "./passengers.ts";
import { endOf } from "./writes.ts";

/** What each kind of baggage source message does to a {@link FeedModel} (rules §4). */

/** Why one message was not applied; `message` never repeats the text. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** What became of a message. */
export interface Applied {
  readonly journey?: FedJourney;
  readonly isChanged: boolean;
  readonly deleted?: readonly FedBag[];
  /** `.P`, where the message names somebody else than the journey's passenger, who stays. */
  readonly ignored?: readonly string[];
}

/**
 * ADD: the bags of a passenger; creates the booking and the journey if they are unknown. A plate that is
 * already on this booking stays as it is; one that another booking has on that day is refused.
 */
export async function sourceBags(
  ctx: BearerContext,
  model: FeedModel,
  message: BaggageMessage,
  locatorHash: string | undefined,
): Promise<Applied> {
  const day = dayOf(message);
  const known = message.plates.map((plate) => model.bagNear(plate, day));
  const ofBooking = (bag: FedBag | undefined) =>
    bag !== undefined && (locatorHash === undefined || bag.journey.plan.locatorHash === locatorHash);
  const [first] = known;
  if (first !== undefined && known.every(ofBooking)) {
    requireRoom(first.journey.plan, message.companions);
    return { journey: first.journey, isChanged: await addCompanions(ctx, first.journey, message) };
  }
  const missing = message.plates.filter((_, i) => !ofBooking(known[i]));
  if (missing.some((plate) => model.isTaken(plate, day))) {
    throw new Refused("baggage_not_found", "a plate is in use on that day");
  }
  const journey = await journeyFor(ctx, model, message, locatorHash);
  if (journey.bags.length + missing.length > ctx.settings.limits.maxBagsPerJourney) {
    throw new Refused("bag_limit", "the journey would have too many bags");
  }
  for (const licencePlate of missing) {
    const row = { licencePlate, flightDate: day, journey, isLocked: false, isChanged: false };
    model.addBag({ ...row, readable: null, flags: flagsOf(message, null) });
  }
  await addCompanions(ctx, journey, message);
  return { journey, isChanged: true };
}

function requireRoom(plan: FedPlan, passengers: readonly JourneyPassenger[] = []): void {
  if (!hasRoomFor(plan, passengers)) {
    throw new Refused("invalid_request", "the booking would have too many passengers");
  }
}

/** The others that the message names fly with the booking, too, whoever of them owns the bags. */
async function addCompanions(
  ctx: BearerContext,
  { plan, flights, cabin, destinationCity }: FedJourney,
  { companions = [] }: BaggageMessage,
): Promise<boolean> {
  const before = plan.journeys.length;
  for (const name of companions) await passengerIn(ctx, plan, name, { flights, cabin, destinationCity });
  return plan.journeys.length > before;
}

/** CHG: from the station on, the bags' journey takes the message's flights; priority follows `.E`. */
export async function changeBags(
  ctx: BearerContext,
  model: FeedModel,
  message: BaggageMessage,
  locatorHash: string | undefined,
): Promise<Applied> {
  const bags = message.plates.map((plate) => model.bagNear(plate, dayOf(message)));
  const [first] = bags;
  const isOne = bags.every((bag) => bag !== undefined && bag.journey === first?.journey);
  if (first === undefined || !isOne) throw new Refused("baggage_not_found", "no such bag of one journey");
  const { journey } = first;
  requireOf(locatorHash, first);
  const { travelClass = journey.cabin } = message.flight;
  const told = continued(ctx, journey.flights, message);
  const hasNewFlights = JSON.stringify(told) !== JSON.stringify(journey.flights);
  if (hasNewFlights) journey.flights = told;
  let isChanged = hasNewFlights || travelClass !== journey.cabin;
  journey.cabin = travelClass;
  for (const bag of bags as FedBag[]) {
    const flags = flagsOf(message, bag.flags);
    bag.isChanged ||= flags !== bag.flags;
    isChanged ||= flags !== bag.flags;
    bag.flags = flags;
  }
  journey.isChanged ||= isChanged;
  return { journey, isChanged, ...(isOther(message, journey) && { ignored: [".P"] }) };
}

const isOther = ({ passenger, companions = [] }: BaggageMessage, journey: FedJourney) =>
  companions.length > 0 || (passenger !== undefined && !mayBeOne(passenger, journey.passenger));

/** Plates recycle: if a message names its booking, it does not mean a bag of another booking. */
function requireOf(locatorHash: string | undefined, { journey }: FedBag): void {
  if (locatorHash !== undefined && journey.plan.locatorHash !== locatorHash) {
    throw new Refused("baggage_not_found", "the bag is of another booking");
  }
}

/**
 * DEL: removes the bags, unless a tag is locked to one of them; bags that are not there were removed before.
 */
export async function deleteBags(
  model: FeedModel,
  message: BaggageMessage,
  locatorHash: string | undefined,
): Promise<Applied> {
  const bags = message.plates.flatMap((plate) => model.bagNear(plate, dayOf(message)) ?? []);
  for (const bag of bags) requireOf(locatorHash, bag);
  if (bags.some(({ isLocked }) => isLocked)) {
    throw new Refused("device_locked", "a tag is locked to the bag");
  }
  for (const bag of bags) model.removeBag(bag);
  const [first] = bags;
  return { ...(first && { journey: first.journey }), isChanged: first !== undefined, deleted: bags };
}

/** The day for which the bag's plate counts: that of the first flight in the message. */
const dayOf = ({ inbound, flight }: BaggageMessage) => (inbound ?? flight).date;

async function journeyFor(
  ctx: BearerContext,
  model: FeedModel,
  message: BaggageMessage,
  locatorHash: string | undefined,
): Promise<FedJourney> {
  const { passenger, companions = [], recordLocator } = message;
  if (passenger === undefined || recordLocator === undefined || locatorHash === undefined) {
    throw new Refused("journey_not_found", ".L and .P are needed for a bag that is not known");
  }
  const flights = continued(ctx, [], message);
  const airline = message.flight.carrier;
  const booking = { airline, locatorHash, recordLocator, firstFlightDate: dayOf(message) };
  const plan = model.plan(booking, flights, dayOf(message)) ?? model.addPlan(await newPlan(ctx, booking));
  requireRoom(plan, [passenger, ...companions]);
  const cabin = message.flight.travelClass ?? null;
  return passengerIn(ctx, plan, passenger, { flights, cabin, destinationCity: null });
}

/** A booking that is not known yet. */
export async function newPlan(
  ctx: BearerContext,
  booking: Pick<FedPlan, "airline" | "locatorHash" | "recordLocator" | "firstFlightDate">,
): Promise<FedPlan> {
  return { ...booking, id: await planIdOf(ctx, booking), journeys: [], isNew: true };
}

/** As in a booking told as JSON. */
const MOST_FLIGHTS = 8;

/**
 * `known` up to the message's station, then the flights of the message; flights that stay keep their times. Refused where
 * they are past: a booking ends with them, and every lock on its bags.
 */
function continued(
  ctx: BearerContext,
  known: readonly FedFlight[],
  message: BaggageMessage,
): readonly FedFlight[] {
  const { inbound, flight, onward, station } = message;
  const at = known.findIndex(({ from }) => from === station);
  const arriving = inbound === undefined ? [] : [legOf(inbound, inbound.airport, station)];
  const before = at > 0 ? known.slice(0, at) : arriving;
  let from = station;
  const after = [flight, ...onward].map((leg) => {
    const one = legOf(leg, from, leg.airport);
    from = leg.airport;
    return one;
  });
  const legs = [...before, ...after];
  if (legs.length > MOST_FLIGHTS) throw new Refused("invalid_request", "more flights than a journey has");
  const told = legs.map(
    (leg) => known.find((old) => isSameFlight(old, leg) && old.from === leg.from && old.to === leg.to) ?? leg,
  );
  if (endOf(ctx.settings.limits, told) <= ctx.now) {
    throw new Refused("journey_not_found", "the flights are past");
  }
  return told;
}

const legOf = ({ carrier, number, date }: BsmFlight, from: string, to: string): FedFlight => ({
  ...{ carrier, number, date, from, to },
  scheduledDeparture: null,
  scheduledArrival: null,
});

function flagsOf({ exceptions }: BaggageMessage, flags: number | null): number | null {
  const others = (flags ?? 0) & ~LABEL_FLAG.PRIORITY;
  return (exceptions.includes("PRIO") ? others | LABEL_FLAG.PRIORITY : others) || null;
}
