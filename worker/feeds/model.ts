import type { JourneyPassenger } from "../../core/api/index.ts";

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
  readonly isNew: boolean;
  /** The same list object as `flights`, unless this request has replaced `flights`. */
  readonly flightsBefore: readonly FedFlight[];
  isChanged: boolean;
}

export interface FedPlan {
  readonly id: string;
  readonly airline: string;
  readonly locatorHash: string;
  /** In clear, because a new plan still has to be sealed. */
  readonly recordLocator: string;
  readonly firstFlightDate: string;
  readonly journeys: FedJourney[];
  readonly isNew: boolean;
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
  isChanged: boolean;
}

const DAY = 86_400_000;

export class FeedModel {
  readonly plans: FedPlan[];
  readonly deleted: FedBag[] = [];
  /** Plate and day of every bag that has one of the plates, of any airline. */
  readonly #taken: Set<string>;
  readonly #byPlate = new Map<string, FedBag[]>();
  readonly #byLocator = new Map<string, FedPlan[]>();
  readonly #restDays: number;

  constructor(
    plans: readonly FedPlan[],
    taken: readonly { readonly licencePlate: string; readonly flightDate: string }[],
    restDays: number,
  ) {
    this.plans = [...plans];
    this.#taken = new Set(taken.map(({ licencePlate, flightDate }) => `${licencePlate} ${flightDate}`));
    this.#restDays = restDays;
    for (const plan of plans) {
      this.#index(plan);
      for (const bag of plan.journeys.flatMap(({ bags }) => bags)) push(this.#byPlate, bag.licencePlate, bag);
    }
  }

  /**
   * The booking under a locator that has one of `flights`, else the one of `airline` that begins on `day`.
   * Each airline gives out its own locators: the same letters at another airline are another booking.
   */
  plan(
    { locatorHash, airline }: Pick<FedPlan, "locatorHash" | "airline">,
    flights: readonly FedFlight[],
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

  isTaken(plate: string, day: string): boolean {
    return this.#taken.has(`${plate} ${day}`);
  }

  addBag(bag: FedBag): void {
    bag.journey.bags.push(bag);
    bag.journey.isChanged = true;
    push(this.#byPlate, bag.licencePlate, bag);
    this.#taken.add(`${bag.licencePlate} ${bag.flightDate}`);
  }

  removeBag(bag: FedBag): void {
    remove(bag.journey.bags, bag);
    remove(this.#byPlate.get(bag.licencePlate) ?? [], bag);
    this.#taken.delete(`${bag.licencePlate} ${bag.flightDate}`);
    bag.journey.isChanged = true;
    if (bag.id !== undefined) this.deleted.push(bag);
  }

  #index(plan: FedPlan): void {
    push(this.#byLocator, plan.locatorHash, plan);
  }
}

function push<T>(into: Map<string, T[]>, key: string, value: T): void {
  const list = into.get(key);
  if (list === undefined) into.set(key, [value]);
  else list.push(value);
}

function remove<T>(list: T[], value: T): void {
  const at = list.indexOf(value);
  if (at >= 0) list.splice(at, 1);
}

const withoutZeros = (number: string) => number.replace(/^0+(?=.)/, "");

/** Whether two flights are the same, however the number is padded. */
export const isSameFlight = (
  a: Pick<FedFlight, "carrier" | "number" | "date">,
  b: Pick<FedFlight, "carrier" | "number" | "date">,
) => a.carrier === b.carrier && withoutZeros(a.number) === withoutZeros(b.number) && a.date === b.date;
