import type { ErrorCode, JourneyPassenger } from "../../core/api/index.ts";
import type { BaggageMessage, BsmShare } from "../../core/bag/bsm.ts";
import type { BsmFlight } from "../../core/bag/bsm-elements.ts";
import { LABEL_FLAG } from "../../core/bag/payload.ts";
import type { BearerContext } from "../context.ts";
import { endOf, endsLockEarly } from "./lock-ends.ts";
import {
  carriersOf,
  type FedBag,
  type FedFlight,
  type FedJourney,
  type FedPlan,
  type FeedModel,
  isSameFlight,
  linesOn,
} from "./model.ts";
import { canMatch, hasRoomFor, named, passengerIn, planIdOf } from "./passengers.ts";

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
  /** `.P`, where the message names another person than the journey's passenger, who stays. */
  readonly ignored?: readonly string[];
}

/**
 * ADD: the bags of passengers; creates the booking and the journeys if they are unknown. A plate that is already on this
 * booking stays as it is, but gets `.S` or `.W` that it lacks; one that another booking has on that day is refused, unless
 * it is of the range of this booking's airline.
 */
export async function sourceBags(
  ctx: BearerContext,
  model: FeedModel,
  message: BaggageMessage,
  locatorHash: string | undefined,
): Promise<Applied> {
  const day = dayOf(message);
  const storedBag = (plate: string) => {
    const bag = model.bagNear(plate, day);
    return locatorHash === undefined || bag?.journey.plan.locatorHash === locatorHash ? bag : undefined;
  };
  const missing = message.plates.filter((plate) => storedBag(plate) === undefined);
  const isMisplaced = sharesOf(message).some(({ passenger, plates }) =>
    plates.some((plate) => isOther(passenger, storedBag(plate)?.journey)),
  );
  const noted = isMisplaced ? { ignored: [".P"] } : {};
  const stored = message.plates.flatMap((plate) => storedBag(plate) ?? []);
  // A message that comes late, or again, overwrites nothing.
  const loadStored = () =>
    stored.map((bag) => load(bag, merged(bag.loading, said(message, bag)))).includes(true);
  const first = storedBag(message.plates[0] as string)?.journey;
  if (first !== undefined && missing.length === 0) {
    requireRoom(first.plan, message.companions);
    const isLoaded = loadStored();
    return { journey: first, isChanged: (await addCompanions(ctx, first, message)) || isLoaded, ...noted };
  }
  const reclaimed = platesToTakeBack(model, message, missing, locatorHash);
  const { plan, fresh, shares } = await bookingFor(ctx, model, message, locatorHash);
  const added = shares.map(({ passenger, plates }) => {
    return { passenger, plates: plates.filter((plate) => missing.includes(plate)) };
  });
  requireRoomForBags(ctx, plan, added);
  for (const plate of reclaimed) model.takeBack(plate, day);
  const journeys: FedJourney[] = [];
  for (const { passenger, plates } of added) {
    const others = plan.journeys.filter((one) => !journeys.includes(one));
    const journey = await passengerIn(ctx, plan, passenger, fresh, others);
    journeys.push(journey);
    const row = { flightDate: day, journey, isLocked: false, isChanged: false, readable: null };
    for (const licencePlate of plates) {
      const loading = merged(said(message, { licencePlate, journey }), []);
      model.addBag({ ...row, licencePlate, loading, flags: flagsOf(message, null) });
    }
  }
  loadStored();
  const [journey] = journeys as [FedJourney];
  await addCompanions(ctx, journey, message);
  return { journey, isChanged: true, ...noted };
}

/** The plates of each passenger; without one where the message names none. */
const sharesOf = ({ plates, passenger, shares }: BaggageMessage) => shares ?? [{ plates, passenger }];

const isOther = (passenger: JourneyPassenger | undefined, journey: FedJourney | undefined) =>
  passenger !== undefined && journey !== undefined && !canMatch(passenger, journey.passenger);

/** Those of `plates` that another airline's booking has and this booking's airline owns. Throws {@link Refused} for others. */
function platesToTakeBack(
  model: FeedModel,
  message: BaggageMessage,
  plates: readonly string[],
  locatorHash: string | undefined,
): readonly string[] {
  const { inbound, flight, onward } = message;
  const flights = [...(inbound === undefined ? [] : [inbound]), flight, ...onward];
  const booking = { airline: flight.carrier, locatorHash: locatorHash ?? "" };
  const plan = model.plan(booking, flights, dayOf(message)) ?? { ...booking, journeys: [] };
  const carriers = carriersOf(plan, flights);
  return plates.filter((plate) => {
    const availability = model.availability(plate, dayOf(message), plan.airline);
    if (availability === "taken") throw new Refused("baggage_not_found", "a plate is in use on that day");
    const owner = model.foreignOwner(plate, carriers);
    if (owner !== undefined) throw new Refused("insufficient_scope", `a plate is of the range of ${owner}`);
    if (availability === "locked") throw new Refused("device_locked", "a tag is locked to the bag");
    return availability === "reclaimable";
  });
}

/** Checked before any bag is added: a message is applied as a whole or not at all. */
function requireRoomForBags(
  { settings }: BearerContext,
  { journeys }: FedPlan,
  added: readonly BsmShare[],
): void {
  const owned = Map.groupBy(added, (share) => named(journeys, share.passenger) ?? share);
  for (const [owner, shares] of owned) {
    const before = "bags" in owner ? owner.bags.length : 0;
    if (before + shares.flatMap(({ plates }) => plates).length > settings.limits.maxBagsPerJourney) {
      throw new Refused("bag_limit", "a journey would have too many bags");
    }
  }
}

function requireRoom(plan: FedPlan, passengers: readonly JourneyPassenger[] = []): void {
  if (!hasRoomFor(plan, passengers)) {
    throw new Refused("invalid_request", "the booking would have too many passengers");
  }
}

/** The other passengers of the message belong to the booking, too, whichever of them owns the bags. */
async function addCompanions(
  ctx: BearerContext,
  { plan, flights, cabin, destinationCity }: FedJourney,
  { companions = [] }: BaggageMessage,
): Promise<boolean> {
  const before = plan.journeys.length;
  for (const name of companions) await passengerIn(ctx, plan, name, { flights, cabin, destinationCity });
  return plan.journeys.length > before;
}

/**
 * CHG: from the station on, the bags' journeys take the message's flights; priority follows `.E`; `.S` and `.W` stay where
 * the message has none, `.S` only on the same first flight. Plates of one passenger are bags of one journey.
 */
export async function changeBags(
  ctx: BearerContext,
  model: FeedModel,
  message: BaggageMessage,
  locatorHash: string | undefined,
): Promise<Applied> {
  const shares = sharesOf(message);
  const changes = shares.map((share) => {
    const bags = share.plates.map((plate) => model.bagNear(plate, dayOf(message)));
    const [first] = bags;
    const isOne = bags.every((bag) => bag !== undefined && bag.journey === first?.journey);
    if (first === undefined || !isOne) throw new Refused("baggage_not_found", "no such bag of one journey");
    requireOf(locatorHash, first);
    const { journey } = first;
    const flights = continued(ctx, journey.flights, message);
    const hasNewFlights = JSON.stringify(flights) !== JSON.stringify(journey.flights);
    const held = journey.bags.map((bag) => ({
      bag,
      isNamed: bags.includes(bag),
      loading: linesOn(flights[0], bag.loading, journey.flights[0]),
    }));
    return { ...share, held, journey, flights, hasNewFlights };
  });
  // All of them are found before any is changed: a message is applied as a whole or not at all.
  fly(
    ctx,
    changes.filter(({ hasNewFlights }) => hasNewFlights),
  );
  const changed = changes.map((change) => changeJourney(change, message));
  const isAnother = changes.some(({ passenger, journey }) => isOther(passenger, journey));
  const hasOthers = (message.companions ?? []).length >= shares.length;
  return {
    ...(changes[0] && { journey: changes[0].journey }),
    isChanged: changed.includes(true),
    ...((isAnother || hasOthers) && { ignored: [".P"] }),
  };
}

interface Change {
  readonly journey: FedJourney;
  /** All bags of the journey, and what they had of `.S` and `.W` that still holds. */
  readonly held: readonly {
    readonly bag: FedBag;
    readonly isNamed: boolean;
    readonly loading: readonly string[];
  }[];
  readonly flights: readonly FedFlight[];
  readonly hasNewFlights: boolean;
}

/** Sets the journeys' new flights; none of them where a lock would end early. */
function fly(ctx: BearerContext, changes: readonly Pick<Change, "journey" | "flights">[]): void {
  const before = changes.map(({ journey }) => journey.flights);
  for (const { journey, flights } of changes) journey.flights = flights;
  if (!changes.some(({ journey }) => endsLockEarly(ctx, journey.plan))) return;
  changes.forEach(({ journey }, index) => {
    journey.flights = before[index] as readonly FedFlight[];
  });
  throw new Refused("device_locked", "the lock of a tag would end too early");
}

/** Returns whether anything of the journey or its bags is different now. */
function changeJourney({ journey, held, hasNewFlights }: Change, message: BaggageMessage): boolean {
  const { travelClass = journey.cabin } = message.flight;
  let isChanged = hasNewFlights || travelClass !== journey.cabin;
  journey.cabin = travelClass;
  for (const { bag } of held.filter(({ isNamed }) => isNamed)) {
    const flags = flagsOf(message, bag.flags);
    bag.isChanged ||= flags !== bag.flags;
    isChanged ||= flags !== bag.flags;
    bag.flags = flags;
  }
  journey.isChanged ||= isChanged;
  const loaded = held.map(({ bag, loading }) => load(bag, merged(said(message, bag), loading)));
  return loaded.includes(true) || isChanged;
}

/** Gives a bag its `.S` and `.W`, which no label shows: its journey stays as it is. Returns whether they are others now. */
function load(bag: FedBag, loading: readonly string[]): boolean {
  const isSame = bag.loading.join("\n") === loading.join("\n");
  if (!isSame) bag.loading = loading;
  return !isSame;
}

/** What a message has of it for a bag. */
const said = (
  { loading = [], flight }: BaggageMessage,
  { licencePlate, journey }: Pick<FedBag, "licencePlate" | "journey">,
) => {
  const lines = loading.find(({ plates }) => plates.includes(licencePlate))?.lines ?? [];
  return linesOn(journey.flights[0], lines, flight);
};

/** `first`, and of `second` the elements that `first` does not have; `.S` before `.W` (RP 1745). */
const merged = (first: readonly string[], second: readonly string[]) =>
  [...first, ...second.filter((line) => !first.some((one) => one[0] === line[0]))].toSorted(
    (a, b) => a.charCodeAt(0) - b.charCodeAt(0),
  );

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
  return { ...(first && { journey: first.journey }), isChanged: first !== undefined };
}

/** The day for which the bag's plate counts: that of the first flight in the message. */
const dayOf = ({ inbound, flight }: BaggageMessage) => (inbound ?? flight).date;

/** The message's booking, created if it is not stored, with room for all its passengers; and the plates of each. */
async function bookingFor(
  ctx: BearerContext,
  model: FeedModel,
  message: BaggageMessage,
  locatorHash: string | undefined,
) {
  const { passenger, companions = [], recordLocator, plates } = message;
  if (passenger === undefined || recordLocator === undefined || locatorHash === undefined) {
    throw new Refused("journey_not_found", ".L and .P are needed for a bag that is not known");
  }
  const flights = continued(ctx, [], message);
  const airline = message.flight.carrier;
  const booking = { airline, locatorHash, recordLocator, firstFlightDate: dayOf(message) };
  const plan = model.plan(booking, flights, dayOf(message)) ?? model.addPlan(await newPlan(ctx, booking));
  requireRoom(plan, [passenger, ...companions]);
  const fresh = { flights, cabin: message.flight.travelClass ?? null, destinationCity: null };
  return { plan, fresh, shares: message.shares ?? [{ passenger, plates }] };
}

/** A booking that is not stored yet. */
export async function newPlan(
  ctx: BearerContext,
  booking: Pick<FedPlan, "airline" | "locatorHash" | "recordLocator" | "firstFlightDate">,
): Promise<FedPlan> {
  return { ...booking, id: await planIdOf(ctx, booking), journeys: [], locks: [], isNew: true };
}

/** As in a booking sent as JSON. */
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
  const flights = legs.map(
    (leg) => known.find((old) => isSameFlight(old, leg) && old.from === leg.from && old.to === leg.to) ?? leg,
  );
  if (endOf(ctx.settings.limits, flights) <= ctx.now) {
    throw new Refused("journey_not_found", "the flights are past");
  }
  return flights;
}

const legOf = ({ carrier, number, date }: BsmFlight, from: string, to: string): FedFlight => ({
  carrier,
  number,
  date,
  from,
  to,
  scheduledDeparture: null,
  scheduledArrival: null,
});

function flagsOf({ exceptions }: BaggageMessage, flags: number | null): number | null {
  const others = (flags ?? 0) & ~LABEL_FLAG.PRIORITY;
  return (exceptions.includes("PRIO") ? others | LABEL_FLAG.PRIORITY : others) || null;
}
