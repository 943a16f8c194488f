import type { Journey, OutboxEntry } from "../../sdk/index.ts";
import { type Bag, hasArrived, isSameTag, tagsOf } from "./bags.ts";

/**
 * What a bag's card is about: first a tag that is unknown or away, then where the label is.
 *
 * - `writing`: its tag is being written though the screen was left.
 * - `check`: whether its tag took a label, only the tag knows.
 * - `away`: lost, or found by another person.
 * - `ready`, `landed`: on a tag, before and after the last flight.
 * - `taken`: its lock was ended by no holder. `cleared`: this page cleared its tag early.
 * - `toDo`, `over`: on no tag, before and after the last flight.
 */
export type BagState =
  | "writing"
  | "check"
  | "away"
  | "ready"
  | "landed"
  | "taken"
  | "cleared"
  | "toDo"
  | "over";

interface Around {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly unresolved: readonly OutboxEntry[];
  /** Ids of bags that are being written. */
  readonly writing: readonly number[];
  /** The bag whose tag this page cleared last. */
  readonly cleared: number | undefined;
}

export function stateOf(journey: Journey, bag: Bag, { now, unresolved, writing, cleared }: Around): BagState {
  const isOver = hasArrived(journey, now);
  if (writing.includes(bag.baggageId)) return "writing";
  if (unresolved.some((entry) => isAbout(bag, entry))) return "check";
  if (bag.attachedDevice !== undefined) return isAway(bag) ? "away" : isOver ? "landed" : "ready";
  if (isOver) return "over";
  if (bag.lockEnded !== undefined) return "taken";
  return cleared === bag.baggageId ? "cleared" : "toDo";
}

/** Lost, or found by another person, whose reports may be muted. */
const isAway = ({ lost, foundAt, foundMuted }: Bag) =>
  lost === true || foundAt !== undefined || foundMuted === true;

/** Whether a label is still to be put on a tag. */
export const needsTag = (state: BagState): boolean =>
  state === "toDo" || state === "taken" || state === "cleared";

/** Whether the entry is about this bag; one that clears a tag names the tag alone. */
export const isAbout = (bag: Bag, { baggageId, uniqueDeviceId }: OutboxEntry): boolean =>
  baggageId === bag.baggageId ||
  (baggageId === undefined && tagsOf(bag).some((tag) => isSameTag(tag, uniqueDeviceId)));
