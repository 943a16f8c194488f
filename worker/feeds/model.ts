import type { JourneyPassenger } from "../../core/api/index.ts";
import type { plateRanges } from "../../db/schema.ts";
import type { Loading } from "../secrets/sealed-passenger.ts";

/**
 * What a feed is about, in memory: the bookings, passengers and bags that it may touch, and what it makes of
 * them. Messages of one request are applied one after the other, so that each sees what those before it did;
 * nothing is written here. Days are `YYYY-MM-DD`, instants milliseconds.
 */

export interface FedFlight {
  readonly carrier: string;
  readonly number: string;
  readonly date: string;
  readonly from: string;
  readonly to: string;
  readonly scheduledDeparture: number | null;
  readonly scheduledArrival: number | null;
}

export interface FedJourney {
  readonly id: string;
  readonly plan: FedPlan;
  readonly passenger: JourneyPassenger;
  flights: readonly FedFlight[];
  cabin: string | null;
  destinationCity: string | null;
  readonly bags: FedBag[];
  /** As it is stored, with {@link loading} in it; null for a new journey. */
  readonly passengerSealed: string | null;
  /** As it is stored; what the bags have is written where it differs. */
  readonly loading: Loading;
  readonly isNew: boolean;
  /** The same list object as `flights`, unless this request has replaced `flights`. */
  readonly flightsBefore: readonly FedFlight[];
  isChanged: boolean;
}

export interface FedPlan {
  readonly id: string;
  readonly airline: string;
  readonly locatorHash: string;
  /** In clear, because it is part of its passengers' match forms, and a new plan still has to be sealed. */
  readonly recordLocator: string;
  readonly firstFlightDate: string;
  readonly journeys: FedJourney[];
  /** The live locks on its bags. */
  readonly locks: readonly FedLock[];
  readonly isNew: boolean;
}

/** A live lock on a bag of the booking; instants in milliseconds. */
export interface FedLock {
  readonly lockedAt: number;
  readonly endsAt: number;
  readonly entitled: boolean;
}

/** A plate in use on a day, at any airline. */
export interface TakenPlate {
  /** Of the bag; absent until it is written. */
  readonly id?: number;
  readonly licencePlate: string;
  readonly flightDate: string;
  /** Of the booking. */
  readonly airline: string;
  /** Whether a tag with a live lock carries the bag. */
  readonly isLocked: boolean;
}

/** What {@link FeedModel} has read besides the caller's bookings. */
export interface PlatesInUse {
  readonly taken: readonly TakenPlate[];
  readonly ranges: readonly PlateRange[];
  /** Days before and after a flight on which no other bag has its plate. */
  readonly restDays: number;
}

export interface FedBag {
  /** Absent until it is written. */
  readonly id?: number;
  readonly licencePlate: string;
  readonly flightDate: string;
  readonly journey: FedJourney;
  /** Whether a tag with a live lock carries it. */
  readonly isLocked: boolean;
  readable: string | null;
  flags: number | null;
  /** `.S` and `.W` of its message. */
  loading: readonly string[];
  isChanged: boolean;
}

const DAY = 86_400_000;

export class FeedModel {
  readonly plans: FedPlan[];
  readonly deleted: FedBag[] = [];
  /** Bags of airlines that the caller does not act for, whose plates their owner has taken. */
  readonly displaced: TakenPlate[] = [];
  /** By plate and day, every bag that has one of the plates. */
  readonly #taken: Map<string, TakenPlate>;
  readonly #ranges: readonly PlateRange[];
  readonly #byPlate = new Map<string, FedBag[]>();
  readonly #byLocator = new Map<string, FedPlan[]>();
  readonly #restDays: number;

  constructor(plans: readonly FedPlan[], { taken, ranges, restDays }: PlatesInUse) {
    this.plans = [...plans];
    this.#taken = new Map(taken.map((bag) => [keyOf(bag), bag]));
    this.#ranges = ranges;
    this.#restDays = restDays;
    for (const plan of plans) {
      this.#index(plan);
      for (const bag of plan.journeys.flatMap(({ bags }) => bags)) push(this.#byPlate, bag.licencePlate, bag);
    }
  }

  /**
   * The booking under a locator that has one of `flights`, else the one of `airline` that begins on `day`.
   * Each airline issues its own locators: the same letters at another airline are another booking.
   */
  plan(
    { locatorHash, airline }: Pick<FedPlan, "locatorHash" | "airline">,
    flights: readonly Pick<FedFlight, "carrier" | "number" | "date">[],
    day: string,
  ): FedPlan | undefined {
    const plans = this.#byLocator.get(locatorHash) ?? [];
    const own = plans.filter((plan) => plan.airline === airline);
    const has = ({ journeys }: FedPlan) =>
      journeys.some((journey) =>
        journey.flights.some((known) => flights.some((one) => isSameFlight(known, one))),
      );
    return own.find(has) ?? plans.find(has) ?? own.find(({ firstFlightDate }) => firstFlightDate === day);
  }

  addPlan(plan: FedPlan): FedPlan {
    this.plans.push(plan);
    this.#index(plan);
    return plan;
  }

  /** The bag that carries `plate` nearest to `day`, within the days that a plate rests. */
  bagNear(plate: string, day: string): FedBag | undefined {
    const distance = ({ flightDate }: FedBag) => Math.abs(Date.parse(flightDate) - Date.parse(day)) / DAY;
    return (this.#byPlate.get(plate) ?? [])
      .filter((bag) => distance(bag) <= this.#restDays)
      .toSorted((a, b) => distance(a) - distance(b))[0];
  }

  /** The other airline whose range has the plate, unless it is one of `carriers`. */
  foreignOwner(plate: string, carriers: ReadonlySet<string>): string | undefined {
    const owner = ownerOf(this.#ranges, plate);
    return owner === undefined || carriers.has(owner) ? undefined : owner;
  }

  /**
   * Whether a booking of `airline` can have the plate on that day: `free`; `reclaimable` where another airline's booking
   * has a plate of this airline's range, until {@link takeBack}; `locked` where a tag is locked to that bag; else `taken`.
   */
  availability(plate: string, day: string, airline: string): "free" | "taken" | "reclaimable" | "locked" {
    const bag = this.#taken.get(keyOf({ licencePlate: plate, flightDate: day }));
    if (bag === undefined) return "free";
    if (bag.airline === airline || ownerOf(this.#ranges, plate) !== airline) return "taken";
    return bag.isLocked ? "locked" : "reclaimable";
  }

  /** Takes the plate off its bag, so that another bag of the plate's owner can have it. */
  takeBack(plate: string, day: string): void {
    const key = keyOf({ licencePlate: plate, flightDate: day });
    const bag = this.#taken.get(key);
    if (bag === undefined) return;
    const own = this.#byPlate.get(plate)?.find(({ flightDate }) => flightDate === day);
    if (own !== undefined) this.removeBag(own);
    else this.displaced.push(bag);
    this.#taken.delete(key);
  }

  addBag(bag: FedBag): void {
    bag.journey.bags.push(bag);
    bag.journey.isChanged = true;
    push(this.#byPlate, bag.licencePlate, bag);
    this.#taken.set(keyOf(bag), { ...bag, airline: bag.journey.plan.airline });
  }

  removeBag(bag: FedBag): void {
    remove(bag.journey.bags, bag);
    remove(this.#byPlate.get(bag.licencePlate) ?? [], bag);
    this.#taken.delete(keyOf(bag));
    bag.journey.isChanged = true;
    if (bag.id !== undefined) this.deleted.push(bag);
  }

  #index(plan: FedPlan): void {
    push(this.#byLocator, plan.locatorHash, plan);
  }
}

const keyOf = ({ licencePlate, flightDate }: Pick<FedBag, "licencePlate" | "flightDate">) =>
  `${licencePlate} ${flightDate}`;

function push<T>(into: Map<string, T[]>, key: string, value: T): void {
  const list = into.get(key);
  if (list === undefined) into.set(key, [value]);
  else list.push(value);
}

function remove<T>(list: T[], value: T): void {
  const at = list.indexOf(value);
  if (at >= 0) list.splice(at, 1);
}

type Flight = Pick<FedFlight, "carrier" | "number" | "date">;

/** What of `.S` and `.W`, said of `flight`, holds where `first` is the first one: authority to load and seat are of one flight. */
export const linesOn = (first: Flight | undefined, lines: readonly string[], flight: Flight | undefined) =>
  first !== undefined && flight !== undefined && isSameFlight(first, flight)
    ? lines
    : lines.filter((line) => !line.startsWith("S"));

const withoutZeros = (number: string) => number.replace(/^0+(?=.)/, "");

/** Whether two flights are the same, however the number is padded. */
export const isSameFlight = (a: Flight, b: Flight) =>
  a.carrier === b.carrier && withoutZeros(a.number) === withoutZeros(b.number) && a.date === b.date;

/** Whose range a licence plate is of (rules §4). Only airlines with a row in `plate_ranges` count. */
type PlateRange = Pick<
  typeof plateRanges.$inferSelect,
  "airline" | "leading" | "issuer" | "firstSerial" | "lastSerial"
>;

/** The airline whose range has the plate. */
const ownerOf = (ranges: readonly PlateRange[], plate: string): string | undefined =>
  ranges.find(
    ({ leading, issuer, firstSerial, lastSerial }) =>
      plate.startsWith(`${leading}${issuer}`) &&
      firstSerial <= Number(plate.slice(4)) &&
      Number(plate.slice(4)) <= lastSerial,
  )?.airline;

interface Flown {
  readonly flights: readonly { readonly carrier: string }[];
}

/** The airlines whose plates the bags of a booking may carry: its own, and those of its flights and of `more`. */
export function carriersOf(
  { airline, journeys }: { readonly airline: string; readonly journeys: readonly Flown[] },
  more: Flown["flights"] = [],
): ReadonlySet<string> {
  const flights = [...journeys.flatMap((journey) => journey.flights), ...more];
  return new Set([airline, ...flights.map(({ carrier }) => carrier)]);
}
