/** Which tags a bag is on, and how this page's own work changes that. */
import type { Journey } from "../../sdk/index.ts";

export type Bag = Journey["baggage"][number];

/** Ids of the tags that show this bag, latest first. */
export const tagsOf = ({ attachedDevice, otherDevices = [] }: Bag): readonly string[] =>
  attachedDevice === undefined ? [] : [attachedDevice, ...otherDevices];

/** Ids of the tags that it was on before its newest, and that still show it. */
export const olderTagsOf = (bag: Bag): readonly string[] => tagsOf(bag).slice(1);

/** Whether `device` shows this bag, which has been put on another tag since. */
export const isOlderTagOf = (bag: Bag, device: string): boolean =>
  olderTagsOf(bag).some((each) => isSameTag(each, device));

/** Ids of the tags that show other bags of the journey. */
export const tagsOfOthers = ({ baggage }: Journey, { baggageId }: Bag): readonly string[] =>
  baggage.flatMap((bag) => (bag.baggageId === baggageId ? [] : tagsOf(bag)));

export const isSameTag = (one: string | undefined, other: string) =>
  one?.toLowerCase() === other.toLowerCase();

/** The bag on `device` as its newest tag: the same object where that was known, and nothing of it goes. */
export function withTag(bag: Bag, device: string): Bag {
  const isKnown =
    isSameTag(bag.attachedDevice, device) && !(bag.lost || bag.failedCustodyProofs || bag.lockEnded);
  return isKnown ? bag : onTags(bag, [device, ...tagsOf(bag).filter((each) => !isSameTag(each, device))]);
}

/** The bag off `device`: the same object where it is not on it. */
export function withoutTag(bag: Bag, device: string): Bag {
  const left = tagsOf(bag).filter((each) => !isSameTag(each, device));
  if (left.length === tagsOf(bag).length) return bag;
  if (isSameTag(bag.attachedDevice, device)) return onTags(bag, left);
  const { otherDevices: _all, ...rest } = bag;
  return { ...rest, ...others(left.slice(1)) };
}

/** A tag shows one bag: the bag it showed before is no longer on it. */
export const attached = (bag: Bag, baggageId: number, device: string): Bag =>
  bag.baggageId === baggageId ? withTag(bag, device) : withoutTag(bag, device);

/** What is known of its first tag goes with that tag. */
function onTags(bag: Bag, [first, ...rest]: readonly string[]): Bag {
  const { attachedDevice: _1, otherDevices: _2, lost: _3, failedCustodyProofs: _4, ...known } = bag;
  const { lockEnded: _5, ...bare } = known;
  return first === undefined ? bare : { ...bare, attachedDevice: first, ...others(rest) };
}

const others = (devices: readonly string[]) => (devices.length > 0 ? { otherDevices: devices } : {});

/**
 * Whether the last flight has landed by its schedule; if it has no schedule, whether its day is over at every airport.
 * `now`: milliseconds since 1970.
 */
export function hasArrived({ flights }: Journey, now: number): boolean {
  const last = flights.at(-1);
  if (last === undefined) return false;
  const { scheduledArrival, date } = last;
  // A day ends last at UTC−12.
  return now >= Date.parse(scheduledArrival ?? `${date}T24:00-12:00`);
}

/** Tags that still show a journey that is over: an old label can mis-sort the bag. */
export function tagsToClear(journey: Journey, now: number): readonly string[] {
  return hasArrived(journey, now)
    ? journey.baggage.flatMap((bag) => (bag.lost ? tagsOf(bag).slice(1) : tagsOf(bag)))
    : [];
}

/**
 * Whether the tap on "Clear tag …" is enough. Nothing brings a label back, so the page asks once more where the person may
 * still need it: until the last flight has landed, and for a tag that is reported lost, whose holder may be looking at
 * another one. A tag that is locked to another passenger's journey asks for its proof by itself (rules §5).
 */
export const clearsAtOnce = (journey: Journey, device: string, now: number): boolean =>
  tagsToClear(journey, now).some((tag) => isSameTag(tag, device));

/** Whether the journey has nothing left to do: it has ended, and no tag shows it. */
export const isOver = (journey: Journey, now: number): boolean =>
  hasArrived(journey, now) && tagsToClear(journey, now).length === 0;
