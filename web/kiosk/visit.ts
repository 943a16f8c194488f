import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";
import type {
  Journey,
  JourneyWithCompanions,
  JourneyWithNewBag,
  OperationOptions,
  Result,
  Taglatch,
  TaglatchError,
} from "../../sdk/index.ts";
import { attached, type Bag, withoutTag } from "../state/bags.ts";
import { type Answered, createRequest } from "../state/create-request.ts";
import type { ProofTries } from "../state/proof-tries.ts";
import type { Screen } from "./flow.ts";

/**
 * One passenger at the kiosk: everything of theirs is in here, only in memory, and is gone after
 * {@link Visit.end}.
 */
export interface Visit {
  readonly journey: Accessor<Journey | undefined>;
  /** The booking's other passengers. */
  readonly companions: Accessor<readonly Journey[]>;
  /** The bag being written. */
  readonly bag: Accessor<Bag | undefined>;
  readonly error: Accessor<TaglatchError | undefined>;
  readonly busy: Accessor<boolean>;
  readonly tries: ProofTries;
  readonly findByPass: (scanData: string) => Promise<Answered>;
  readonly findByName: (recordLocator: string, surname: string) => Promise<Answered>;
  /** The same once more, of the airline that the person has chosen. */
  readonly findOf: (airline: string) => Promise<Answered> | undefined;
  /** Kilograms that the bag may weigh that was added last, if the airline has said so. */
  readonly allowed: Accessor<number | undefined>;
  /** Adds one bag to the journey, under this plate or one of the airline's. */
  readonly addBag: (licencePlate?: string) => Promise<Answered>;
  readonly show: (companion: Journey) => void;
  readonly choose: (baggageId: number) => void;
  readonly markAttached: (baggageId: number, device: string) => void;
  readonly markCleared: (device: string) => void;
  readonly end: () => void;
}

/** By name or by pass. */
type Find = (
  client: Taglatch,
  options: OperationOptions & { readonly airline?: string | undefined },
) => Promise<Result<JourneyWithCompanions>>;

export function createVisit(load: () => Promise<Taglatch>): Visit {
  const request = createRequest();
  const { shown, keep, replace, show, forget, ...booking } = createBooking();
  const tries: ProofTries = new Map();
  const ask = <T>(
    call: (client: Taglatch, options: OperationOptions) => Promise<Result<T>>,
    take: (value: T) => void,
  ) => request.send(async (signal) => call(await load(), { signal }), take);

  let search: ((airline?: string) => Promise<Answered>) | undefined;
  const find = (how: Find) => {
    search = (airline) => ask((client, options) => how(client, { ...options, airline }), keep);
    return search();
  };

  return {
    ...booking,
    error: request.error,
    busy: request.working,
    tries,
    findByPass: (scanData) => find((client, options) => client.journeys.fromBcbp(scanData, options)),
    findByName: (recordLocator, surname) =>
      find((client, options) => client.journeys.fromRecordLocator(recordLocator, surname, options)),
    findOf: (airline) => search?.(airline),
    addBag: async (licencePlate) => {
      const journeyId = shown();
      if (journeyId === undefined) return "over";
      const plate = licencePlate === undefined ? {} : { lpn: licencePlate };
      return ask((client, options) => client.journeys.addBag(journeyId, { ...options, ...plate }), replace);
    },
    show: ({ journeyId }) => {
      request.forgetError();
      show(journeyId);
    },
    end: () => {
      request.end();
      search = undefined;
      forget();
      tries.clear();
    },
  };
}

/** The journeys of one booking: which is on the screen, and which bag of it is next. */
function createBooking() {
  const [booking, setBooking] = createSignal<readonly Journey[]>([]);
  const [shown, setShown] = createSignal<string>();
  const [bagId, setBagId] = createSignal<number>();
  const [allowed, setAllowed] = createSignal<number>();
  const journey = () => booking().find(({ journeyId }) => journeyId === shown());
  const changeBags = (change: (bag: Bag) => Bag) =>
    setBooking((all) => all.map((each) => ({ ...each, baggage: each.baggage.map(change) })));
  const show = (journeyId: string | undefined) => {
    setBagId(undefined);
    setAllowed(undefined);
    setShown(journeyId);
  };
  return {
    shown,
    journey,
    companions: () => booking().filter(({ journeyId }) => journeyId !== shown()),
    bag: () => journey()?.baggage.find(({ baggageId }) => baggageId === bagId()),
    show,
    choose: (baggageId: number) => void setBagId(baggageId),
    keep: ({ companions = [], ...own }: JourneyWithCompanions) => {
      setBooking([own, ...companions]);
      show(own.journeyId);
    },
    replace: ({ allowed: ofAirline, ...changed }: JourneyWithNewBag) => {
      setAllowed(ofAirline?.kilograms);
      setBooking((all) => all.map((each) => (each.journeyId === changed.journeyId ? changed : each)));
    },
    allowed,
    markAttached: (baggageId: number, device: string) =>
      void changeBags((bag) => attached(bag, baggageId, device)),
    markCleared: (device: string) => void changeBags((bag) => withoutTag(bag, device)),
    forget: () => {
      show(undefined);
      setBooking([]);
    },
  };
}

/** Shown to the person who ended a visit, in their language: the kiosk goes back to its own. */
export interface Farewell {
  readonly text: string;
  readonly lang: string;
}

/** Milliseconds for which it is shown, unless a visit begins earlier. */
const FAREWELL_TIME = 6_000;

/** Says farewell on the attract screen. */
export function createFarewell(screen: Accessor<Screen>) {
  const [farewell, setFarewell] = createSignal<Farewell>();
  createEffect(() => {
    if (farewell() === undefined) return;
    const timer = setTimeout(() => setFarewell(undefined), FAREWELL_TIME);
    onCleanup(() => clearTimeout(timer));
  });
  createEffect(() => {
    if (screen() !== "attract") setFarewell(undefined);
  });
  return { farewell, sayFarewell: (words: Farewell) => void setFarewell(words) };
}
