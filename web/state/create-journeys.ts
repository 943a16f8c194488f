import { createSignal } from "solid-js";
import {
  type Journey,
  type JourneyWithCompanions,
  type JourneyWithNewBag,
  OperationError,
  type Result,
  type Taglatch,
} from "../../sdk/index.ts";
import { attached, type Bag, isSameTag, withoutTag } from "./bags.ts";

type Search<Name extends "fromRecordLocator" | "fromBcbp"> = Parameters<Taglatch["journeys"][Name]>;

export type Journeys = ReturnType<typeof createJourneys>;

export interface Known {
  readonly journey: Journey;
  readonly old: boolean;
  /** Changed by this page itself. */
  readonly changed?: boolean;
}

const OVER = { ok: false, error: new OperationError("cancelled", "The journey was forgotten") } as const;

/** Journeys of this visit. */
export function createJourneys(load: () => Promise<Taglatch>) {
  const [all, setAll] = createSignal<readonly Known[]>([]);
  const cleared = createLastCleared();

  const keep = (result: Result<JourneyWithCompanions>): Result<Journey> => {
    if (!result.ok) return result;
    const { companions = [], ...own } = result.value;
    // The passenger's own comes last: it is the one that is cached on this device.
    setAll((now) => withLoaded(now, [...companions, own]));
    return { ok: true, value: own };
  };

  const asking = createAsking(load);
  const ask = async (send: Send) => keep(await asking.ask(send));

  const changeBags = (change: (bag: Bag) => Bag) => setAll((now) => allChanged(now, change));
  const at = (journeyId: string) => all().find(({ journey }) => journey.journeyId === journeyId);

  return {
    /** A journey seen on this visit, in its latest version. */
    known: (journeyId: string) => at(journeyId)?.journey,
    /** The other passengers of its booking, as far as this visit has found them. */
    companions: (journeyId: string) =>
      all()
        .map(({ journey }) => journey)
        .filter((other) => other.journeyId !== journeyId && isSameBooking(other, at(journeyId)?.journey)),
    find: (...how: Search<"fromRecordLocator">) => ask(({ journeys }) => journeys.fromRecordLocator(...how)),
    /** Finds a journey by the text of a boarding pass's code, exactly as read. */
    scan: (...how: Search<"fromBcbp">) => ask(({ journeys }) => journeys.fromBcbp(...how)),
    refresh: (journeyId: string) => ask((client) => loaded(client, journeyId, at(journeyId)?.old === false)),
    /** Adds the journey's n-th bag, under one of the airline's licence plates; if there are n already, none is added. */
    addBag: (journeyId: string, slotNumber: number): Promise<Result<JourneyWithNewBag>> =>
      ask(({ journeys }) => journeys.addBag(journeyId, { slotNumber })),
    /** Adds a journey of an earlier visit; one that this visit has loaded is newer. */
    restore: (journey: Journey) => {
      if (!at(journey.journeyId)) setAll((now) => [{ journey, old: true }, ...now]);
    },
    /** Known only from an earlier visit: worth loading again. */
    isOld: (journeyId: string) => at(journeyId)?.old ?? false,
    /** The journey of this visit that was loaded or changed last; `old`: changed, but not loaded. */
    latest: () => all().findLast(({ old, changed }) => !old || changed),
    forget: () => {
      asking.end();
      cleared.forget();
      setAll([]);
    },
    /** Milliseconds since 1970 by the service's clock: a phone's may be a day off, and a trip then seems over. */
    now: asking.now,
    /** The bag whose tag this page cleared last, until it writes one. */
    lastCleared: cleared.last,
    /**
     * What this page itself has just done to a bag; the service says the same at the next refresh. A tag shows
     * one bag: the bag it showed before is no longer on it.
     */
    markAttached: (baggageId: number, device: string) => {
      cleared.forget();
      changeBags((bag) => attached(bag, baggageId, device));
    },
    markCleared: (device: string) => {
      cleared.note(all(), device);
      changeBags((bag) => withoutTag(bag, device));
    },
    markLost: (device: string, lost: boolean) => changeBags((bag) => withLoss(bag, device, lost)),
  };
}

function withLoaded(now: readonly Known[], loaded: readonly Journey[]): readonly Known[] {
  const isLoaded = ({ journey }: Known) => loaded.some(({ journeyId }) => journeyId === journey.journeyId);
  return [...now.filter((known) => !isLoaded(known)), ...loaded.map((journey) => ({ journey, old: false }))];
}

/** The same list where no bag changes. */
function allChanged(now: readonly Known[], change: (bag: Bag) => Bag): readonly Known[] {
  const after = now.map((known) => changed(known, change));
  return after.some((known, index) => known !== now[index]) ? after : now;
}

/** The same object where no bag changes. */
function changed(known: Known, change: (bag: Bag) => Bag): Known {
  const baggage = known.journey.baggage.map(change);
  const isSame = baggage.every((bag, index) => bag === known.journey.baggage[index]);
  return isSame ? known : { ...known, changed: true, journey: { ...known.journey, baggage } };
}

/** Which bag lost its label last by this page's own work: the person may want it back. */
function createLastCleared() {
  const [last, setLast] = createSignal<{ readonly baggageId: number; readonly device: string }>();
  const note = (all: readonly Known[], device: string) => {
    const bags = all.flatMap(({ journey }) => journey.baggage);
    const bag = bags.find(({ attachedDevice }) => isSameTag(attachedDevice, device));
    if (bag) setLast({ baggageId: bag.baggageId, device });
  };
  return { last, note, forget: () => void setLast() };
}

type Send = (client: Taglatch) => Promise<Result<JourneyWithCompanions>>;

/** Asks the service, and keeps its time. Answers to what was asked before `end` are dropped: the person was forgotten. */
function createAsking(load: () => Promise<Taglatch>) {
  let ends = 0;
  const [ahead, setAhead] = createSignal(0);
  const ask = async (send: Send): Promise<Result<JourneyWithCompanions>> => {
    const before = ends;
    const client = await load();
    const result = await send(client);
    setAhead(client.now() - Date.now());
    return before === ends ? result : OVER;
  };
  const end = () => {
    ends += 1;
  };
  return { ask, end, now: () => Date.now() + ahead() };
}

/** A delegate sees masked locators: those of two bookings may look alike. */
const isSameBooking = (one: Journey, other: Journey | undefined) =>
  one.recordLocator === other?.recordLocator && one.delegationId === other.delegationId;

/**
 * The list of one's own journeys names companions, the answer for one journey does not. `isFound`: this visit has
 * loaded them already.
 */
async function loaded(
  { journeys }: Taglatch,
  journeyId: string,
  isFound: boolean,
): Promise<Result<JourneyWithCompanions>> {
  const own = isFound ? undefined : await journeys.list();
  if (own?.ok === false) return own;
  const found = own?.value.find((journey) => journey.journeyId === journeyId);
  if (!found) return journeys.get(journeyId);
  const companions = own?.value.filter((journey) => journey !== found && isSameBooking(journey, found));
  return { ok: true, value: { ...found, ...(companions && { companions }) } };
}

function withLoss(bag: Bag, device: string, lost: boolean): Bag {
  if (!isSameTag(bag.attachedDevice, device)) return bag;
  const { lost: _before, ...rest } = bag;
  if (lost) return { ...rest, lost };
  // Found means reunited: finders' reports end, too.
  const { foundAt: _found, foundMuted: _muted, ...reunited } = rest;
  return reunited;
}
