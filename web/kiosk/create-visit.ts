import { type Accessor, createSignal } from "solid-js";
import type { Journey, JourneyWithCompanions, OperationOptions, Result, Taglatch } from "../../sdk/index.ts";
import { asTaglatchError, type TaglatchError } from "../../sdk/index.ts";

export type Bag = Journey["baggage"][number];

/** `failed`: {@link Visit.error} says why. `over`: the passenger has left, or asked for something else. */
export type Asked = "done" | "failed" | "over";

/** One passenger at the kiosk: everything of theirs is in here, in memory only, and goes with {@link Visit.end}. */
export interface Visit {
  readonly journey: Accessor<Journey | undefined>;
  /** The booking's other passengers. */
  readonly companions: Accessor<readonly Journey[]>;
  /** The bag being written. */
  readonly bag: Accessor<Bag | undefined>;
  readonly error: Accessor<TaglatchError | undefined>;
  readonly busy: Accessor<boolean>;
  readonly findByPass: (scanData: string) => Promise<Asked>;
  readonly findByName: (recordLocator: string, surname: string) => Promise<Asked>;
  /** One bag more on the journey, under this plate or one of the airline's. */
  readonly addBag: (licencePlate?: string) => Promise<Asked>;
  readonly show: (companion: Journey) => void;
  readonly choose: (baggageId: number) => void;
  readonly markAttached: (baggageId: number, device: string) => void;
  readonly markCleared: (device: string) => void;
  readonly end: () => void;
}

export function createVisit(load: () => Promise<Taglatch>): Visit {
  const [booking, setBooking] = createSignal<readonly Journey[]>([]);
  const [shown, setShown] = createSignal<string>();
  const [bagId, setBagId] = createSignal<number>();
  const [error, setError] = createSignal<TaglatchError>();
  const [busy, setBusy] = createSignal(false);
  let asking = new AbortController();

  const journey = () => booking().find(({ journeyId }) => journeyId === shown());

  /** Asks the service; an answer for a passenger who has left is nobody's. */
  const ask = async <T>(
    call: (client: Taglatch, options: OperationOptions) => Promise<Result<T>>,
    take: (value: T) => void,
  ): Promise<Asked> => {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    setBusy(true);
    setError(undefined);
    const answer = await load()
      .then((client) => call(client, { signal }))
      .catch((thrown: unknown) => ({ ok: false as const, error: asTaglatchError(thrown) }));
    if (signal.aborted) return "over";
    setBusy(false);
    if (answer.ok) take(answer.value);
    else setError(answer.error);
    return answer.ok ? "done" : "failed";
  };

  const keep = ({ companions = [], ...own }: JourneyWithCompanions) => {
    setBooking([own, ...companions]);
    setBagId(undefined);
    setShown(own.journeyId);
  };

  const changeBags = (change: (bag: Bag) => Bag) =>
    setBooking((all) => all.map((each) => ({ ...each, baggage: each.baggage.map(change) })));

  return {
    journey,
    companions: () => booking().filter(({ journeyId }) => journeyId !== shown()),
    bag: () => journey()?.baggage.find(({ baggageId }) => baggageId === bagId()),
    error,
    busy,
    findByPass: (scanData) => ask((client, options) => client.journeys.fromBcbp(scanData, options), keep),
    findByName: (recordLocator, surname) =>
      ask((client, options) => client.journeys.fromRecordLocator(recordLocator, surname, options), keep),
    addBag: async (licencePlate) => {
      const journeyId = shown();
      if (journeyId === undefined) return "over";
      const plate = licencePlate === undefined ? {} : { lpn: licencePlate };
      return ask(
        (client, options) => client.journeys.addBag(journeyId, { ...options, ...plate }),
        (changed) =>
          setBooking((all) => all.map((each) => (each.journeyId === changed.journeyId ? changed : each))),
      );
    },
    show: ({ journeyId }) => {
      setBagId(undefined);
      setError(undefined);
      setShown(journeyId);
    },
    choose: (baggageId) => void setBagId(baggageId),
    // A tag shows one bag: the one it showed before is on it no more.
    markAttached: (baggageId, device) =>
      changeBags((bag) =>
        bag.baggageId === baggageId ? { ...bag, attachedDevice: device } : withoutTag(bag, device),
      ),
    markCleared: (device) => changeBags((bag) => withoutTag(bag, device)),
    end: () => {
      asking.abort();
      // An aborted signal keeps its exception, and that the stack it was made on, buttons and all.
      asking = new AbortController();
      setBusy(false);
      setError(undefined);
      setBagId(undefined);
      setShown(undefined);
      setBooking([]);
    },
  };
}

function withoutTag(bag: Bag, device: string): Bag {
  if (bag.attachedDevice?.toLowerCase() !== device.toLowerCase()) return bag;
  const { attachedDevice: _gone, ...rest } = bag;
  return rest;
}
