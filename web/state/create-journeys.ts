import { type Accessor, createSignal } from "solid-js";
import type { Journey, Result, Taglatch } from "../sdk/types.ts";

export interface Journeys {
  /** A journey seen on this visit, as last heard. */
  readonly known: (journeyId: string) => Journey | undefined;
  readonly find: (recordLocator: string, surname: string) => Promise<Result<Journey>>;
  readonly refresh: (journeyId: string) => Promise<Result<Journey>>;
  /**
   * What this page itself has just done to a bag; the service says the same at the next refresh. A tag shows one bag:
   * the one it showed before is on it no more.
   */
  readonly markAttached: (baggageId: number, device: string) => void;
  readonly markCleared: (device: string) => void;
}

/** Journeys of this visit, in memory only: nothing of them is stored. */
export function createJourneys(load: () => Promise<Taglatch>): Journeys {
  const [all, setAll]: [
    Accessor<readonly Journey[]>,
    (change: (now: readonly Journey[]) => readonly Journey[]) => void,
  ] = createSignal<readonly Journey[]>([]);

  const keep = (result: Result<Journey>): Result<Journey> => {
    if (result.ok) {
      const { value } = result;
      setAll((now) => [...now.filter((journey) => journey.journeyId !== value.journeyId), value]);
    }
    return result;
  };

  const changeBags = (change: (bag: Bag) => Bag) =>
    setAll((now) => now.map((journey) => ({ ...journey, baggage: journey.baggage.map(change) })));

  return {
    known: (journeyId) => all().find((journey) => journey.journeyId === journeyId),
    find: async (recordLocator, surname) =>
      keep(await (await load()).journeys.fromRecordLocator(recordLocator, surname)),
    refresh: async (journeyId) => keep(await (await load()).journeys.get(journeyId)),
    markAttached: (baggageId, device) =>
      changeBags((bag) =>
        bag.baggageId === baggageId ? { ...bag, attachedDevice: device } : withoutTag(bag, device),
      ),
    markCleared: (device) => changeBags((bag) => withoutTag(bag, device)),
  };
}

type Bag = Journey["baggage"][number];

function withoutTag(bag: Bag, device: string): Bag {
  if (bag.attachedDevice?.toLowerCase() !== device.toLowerCase()) return bag;
  const { attachedDevice: _gone, ...rest } = bag;
  return rest;
}
