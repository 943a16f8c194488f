import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";
import type {
  Journey,
  JourneyWithCompanions,
  JourneyWithNewBag,
  OperationOptions,
  Result,
  Taglatch,
} from "../../sdk/index.ts";
import type { ProofTries } from "../state/app-state.tsx";
import { attached, type Bag, withoutTag } from "../state/bags.ts";
import { listen } from "../state/browser.ts";
import { type Answered, createRequest } from "../state/create-request.ts";
import type { Screen } from "./flow.ts";

export type Visit = ReturnType<typeof createVisit>;

/** By name or by pass. */
type Find = (
  client: Taglatch,
  options: OperationOptions & { readonly airline?: string | undefined },
) => Promise<Result<JourneyWithCompanions>>;

/** One passenger at the kiosk: everything of theirs is in here, only in memory, and is gone after `end`. */
export function createVisit(load: () => Promise<Taglatch>) {
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
    findByPass: (scanData: string) => find((client, options) => client.journeys.fromBcbp(scanData, options)),
    findByName: (recordLocator: string, surname: string) =>
      find((client, options) => client.journeys.fromRecordLocator(recordLocator, surname, options)),
    /** The same once more, of the airline that the person has chosen. */
    findOf: (airline: string) => search?.(airline),
    /** Adds one bag to the journey, under this plate or one of the airline's. */
    addBag: async (licencePlate?: string): Promise<Answered> => {
      const journeyId = shown();
      if (journeyId === undefined) return "over";
      const plate = licencePlate === undefined ? {} : { lpn: licencePlate };
      return ask((client, options) => client.journeys.addBag(journeyId, { ...options, ...plate }), replace);
    },
    show: ({ journeyId }: Journey) => {
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
  /** The booking's other passengers. */
  const companions = () => booking().filter(({ journeyId }) => journeyId !== shown());
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
    companions,
    /** The passenger's own journey, then those of the same booking. */
    booking: () => {
      const own = journey();
      return own ? [own, ...companions()] : [];
    },
    /** The bag being written. */
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
    /** Kilograms that the bag may weigh that was added last, if the airline has said so. */
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

/** Milliseconds for which a message at the foot of the screen is shown. */
const MESSAGE_TIME = 6_000;

/** A message that goes after a while. */
export function createMessage<Message>() {
  const [message, setMessage] = createSignal<Message>();
  createEffect(() => {
    if (message() === undefined) return;
    const timer = setTimeout(() => setMessage(undefined), MESSAGE_TIME);
    onCleanup(() => clearTimeout(timer));
  });
  return [message, setMessage] as const;
}

/** Says farewell on the attract screen, unless a visit begins earlier. */
export function createFarewell(screen: Accessor<Screen>) {
  const [farewell, setFarewell] = createMessage<Farewell>();
  createEffect(() => {
    if (screen() !== "attract") setFarewell(undefined);
  });
  return { farewell, sayFarewell: (words: Farewell) => void setFarewell(words) };
}

/**
 * What is left of a passenger outside the page's own memory, and how it is removed. The page stores nothing
 * of a passenger in the first place: this is a second safeguard. Staff session, set-up and the queue stay.
 */

/** Keys in this origin's storages that hold no personal data. */
const KEPT_KEYS: readonly string[] = [
  // The airline's colours and name: a kiosk that starts without a network shows whose it is.
  "taglatch.look",
  // Development only: virtual tags stay for the life of the tab.
  "taglatch.virtual-tags",
];

/**
 * Clears at once what can be cleared at once; the promise settles when caches and clipboard are done, too.
 */
export async function wipeTraces(title: string): Promise<void> {
  document.title = title;
  // Development only, as above: a kiosk with virtual tags keeps them for the next passenger, and in its address.
  history.replaceState(null, "", location.pathname + (location.search === "?sim" ? "?sim" : ""));
  getSelection()?.removeAllRanges();
  // The URLs of requests name journeys.
  performance.clearResourceTimings();
  performance.clearMarks();
  performance.clearMeasures();
  for (const storage of [sessionStorage, localStorage]) sweep(storage);
  await Promise.all([wipeCaches(), wipeClipboard()]);
}

function sweep(storage: Storage): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  for (const key of keys) if (key !== null && !KEPT_KEYS.includes(key)) storage.removeItem(key);
}

/**
 * Answers of the service are never cached. Anything that got there anyway is removed; the page's own files
 * stay.
 */
async function wipeCaches(): Promise<void> {
  if (!("caches" in globalThis)) return;
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    const answers = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith("/v2/"));
    await Promise.all(answers.map((request) => cache.delete(request)));
  }
}

/** Nothing can be copied at a kiosk (KioskFrame); this empties the clipboard to be sure. */
async function wipeClipboard(): Promise<void> {
  try {
    await navigator.clipboard.writeText("");
  } catch {
    // Refused without focus; then nothing was copied from this page either.
  }
}

const WAYS_OUT = ["copy", "cut", "dragstart", "contextmenu"] as const;

/** Nothing can be copied off a kiosk's screen, neither by clipboard nor by dragging. */
export function preventCopies(): void {
  listen(WAYS_OUT, (event) => event.preventDefault());
}
