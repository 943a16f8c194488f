import { knowsPlan, livePlansOf } from "./lock-loaded.ts";
import { apply, holds, isBareClaim, isEntitled, writersOf } from "./lock-model.ts";
import {
  ACTORS,
  type Actor,
  BAGS,
  type Bag,
  DAY,
  DELEGATE,
  type Lock,
  type State,
  type Statement,
  signs,
  TAGS,
  type Tag,
} from "./lock-state.ts";
import type { Physical } from "./lock-world.ts";

/**
 * How long a stranger can keep an entitled person from a tag in their hand (rules §5, its last paragraph), asked of
 * every tag and everybody at one moment. Answers what does not hold.
 */
export function broken(state: State, world: Readonly<Record<Tag, Physical>>): readonly string[] {
  return TAGS.flatMap((tag) => {
    const lock = state.locks[tag];
    if (lock === undefined) return [];
    const at: Place = { state, lock, tag, physical: world[tag] };
    const wrong = Object.entries(RULES).flatMap(([rule, isKept]) => (isKept(at) ? [] : [rule]));
    return wrong.map((rule) => `${tag}: ${rule}`);
  });
}

interface Place {
  readonly state: State;
  readonly lock: Lock;
  readonly tag: Tag;
  readonly physical: Physical;
}

const RULES: Readonly<Record<string, (at: Place) => boolean>> = {
  "a claim that no tag confirms keeps nobody who is entitled": ({ state, lock, tag }) =>
    !isBareClaim(lock) ||
    entitledOnes(state).every(
      ({ who, bag }) => apply(state, { does: "token", who, tag, forBag: bag }).answer === "ok",
    ),
  "a lock without a write of its people falls in one connection of a tag that signs": (at) =>
    !signs(at.tag) ||
    isWrittenBy(at) ||
    ACTORS.every((who) => holds(at.state, at.lock, who) || isFreed(at, who)),
  "who really wrote keeps it a day by a claim, else a fortnight, and no longer than the booking": ({
    state: { ends },
    lock: { entitled, lockedAt, endsAt, plan },
  }) => endsAt <= Math.min(ends[plan], lockedAt + (entitled ? 14 : 1) * DAY),
  "staff who have the tag in hand can always release it": (at) => {
    const { state, tag } = at;
    const looked = apply(state, { does: "look", who: "staff", tag }).state;
    const release = { does: "release", who: "staff", tag } as const;
    const statement = signs(tag) ? { statement: present(at) } : {};
    return holdsAsStaff(at) || apply(looked, { ...release, ...statement }).state.locks[tag] === undefined;
  },
  "a lock is proven only by a write that one of its people asked for": (at) => {
    const { state, lock, physical } = at;
    if (lock.commits === null) return true;
    const commit = physical.history[lock.commits - 1];
    return (
      commit?.operation === "write" &&
      [...writersOf(state, lock), ...formerDelegate(state, lock)].includes(commit.by)
    );
  },
  "a lock that a delegate made is the holder's": ({ state, lock }) =>
    !lock.entitled || lock.holder !== DELEGATE.who || knowsPlan(state, DELEGATE.who, lock.plan),
  "a number that is spent proves nothing": ({ state, lock, tag }) =>
    lock.commits === null || lock.commits > (state.devices[tag]?.spent ?? 0),
  "a claimant has no voice in the journey": ({ state, lock, tag }) =>
    lock.entitled ||
    ACTORS.filter((who) => who !== "staff").every(
      (who) => apply(state, { does: "lose", who, tag, lost: true }).answer === "not_lock_holder",
    ),
};

/** Whoever has a live booking or is vouched for, and a bag that they may name. */
const entitledOnes = (state: State): readonly { readonly who: Actor; readonly bag: Bag }[] =>
  ACTORS.flatMap((who) =>
    BAGS.filter((bag) => isEntitled(state, who, bag) || livePlansOf(state, who).length > 0)
      .slice(0, 1)
      .map((bag) => ({ who, bag: BAGS.find((one) => isEntitled(state, who, one)) ?? bag })),
  );

/** Whose writes proved the lock before the delegation ended. */
const formerDelegate = ({ delegation }: State, { plan }: Lock): readonly Actor[] =>
  delegation === "gone" && plan === DELEGATE.plan ? [DELEGATE.who] : [];

/** Whether the tag shows what somebody of the lock wrote, not more than a week before it was told. */
function isWrittenBy({ state, lock, physical: { last, commits } }: Place): boolean {
  if (last === null || last.operation === "clear") return false;
  const isOfPeople = writersOf(state, lock).includes(last.by) || lock.commits === commits;
  return isOfPeople && last.cti * 1_000 >= lock.lockedAt - 7 * DAY;
}

/** Whether `who` gets a token after a look and the tag's answer to its challenge. */
function isFreed({ state, tag, physical, ...at }: Place, who: Actor): boolean {
  const looked = apply(state, { does: "look", who, tag }).state;
  const statement = present({ ...at, state, tag, physical });
  return apply(looked, { does: "token", who, tag, statement }).answer === "ok";
}

/** What the tag says to whoever has it in hand. */
const present = ({ physical: { last, commits } }: Place): Statement => ({
  ...{ by: last?.by ?? null, cti: last?.cti ?? 0, operation: last?.operation ?? "write" },
  ...{ commits, challenge: "seen" },
});

/** Staff who attached it themselves need no release. */
const holdsAsStaff = ({ state, lock }: Place) => holds(state, lock, "staff");
