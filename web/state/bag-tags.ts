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

export const withTag = (bag: Bag, device: string): Bag =>
  onTags(bag, [device, ...tagsOf(bag).filter((each) => !isSameTag(each, device))]);

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
  const { attachedDevice: _1, otherDevices: _2, lost: _3, failedCustodyProofs: _4, ...bare } = bag;
  return first === undefined ? bare : { ...bare, attachedDevice: first, ...others(rest) };
}

const others = (devices: readonly string[]) => (devices.length > 0 ? { otherDevices: devices } : {});
