/**
 * A model of the journey lock (rules §5), small enough to be read at once: the answer to each action and what it changes,
 * one action after the other. It is written from the rules, not from the service.
 */

export const PASSENGERS = ["ada", "eve", "attested", "host"] as const;
export const ACTORS = [...PASSENGERS, "staff"] as const;
export type Actor = (typeof ACTORS)[number];
export const TAGS = ["ebt-21-0001", "model-tag"] as const;
export type Tag = (typeof TAGS)[number];
export const BAGS = [1, 2, 3] as const;
export type Bag = (typeof BAGS)[number];
/** Bookings of the development data; the third has no bag here. */
export const PLANS = ["demo-plan-1", "demo-plan-2"] as const;
export type Plan = (typeof PLANS)[number];

const PLAN_OF: Readonly<Record<Bag, Plan>> = { 1: "demo-plan-1", 2: "demo-plan-1", 3: "demo-plan-2" };
/** The airline staff work for flies the first booking. */
const isOfStaff = (plan: Plan) => plan === "demo-plan-1";

export type Action =
  | { readonly does: "attach"; readonly who: Actor; readonly tag: Tag; readonly bag: Bag }
  /** `knows`: the booking whose locator and surname are given. */
  | { readonly does: "prove"; readonly who: Actor; readonly tag: Tag; readonly knows: Plan | "nothing" }
  | { readonly does: "unlock" | "release" | "token"; readonly who: Actor; readonly tag: Tag }
  | { readonly does: "lose"; readonly who: Actor; readonly tag: Tag; readonly lost: boolean }
  | { readonly does: "load"; readonly who: Actor; readonly knows: Plan | "nothing" };

export interface Lock {
  readonly plan: Plan;
  readonly bag: Bag;
  readonly holder: Actor;
  readonly lost: boolean;
}

/** What there is at one moment. Locks past their end are not. */
export interface State {
  readonly locks: Readonly<Partial<Record<Tag, Lock>>>;
  /** `actor plan`, sorted. */
  readonly loaded: readonly string[];
  /** Bookings that are not yet past. */
  readonly live: readonly Plan[];
  /** `event tag actor`, in no particular order. */
  readonly audit: readonly string[];
}

export interface Step {
  readonly state: State;
  readonly answer: string;
}

/** What `action` answers, and what is after it. */
export function apply(state: State, action: Action): Step {
  if (action.does === "load") return load(state, action);
  const lock = state.locks[action.tag];
  const isHolder = lock !== undefined && holds(state, lock, action.who);
  const mayAsStaff = lock !== undefined && action.who === "staff" && isOfStaff(lock.plan);
  switch (action.does) {
    case "attach":
      return attach(state, action, isHolder);
    case "prove":
      return lock !== undefined && lock.plan === action.knows
        ? removed(state, action, "lock_removed_by_proof")
        : { state, answer: "custody_proof_invalid" };
    case "unlock":
      if (lock === undefined) return { state, answer: "ok" };
      return isHolder
        ? removed(state, action, "lock_removed_by_holder")
        : { state, answer: "not_lock_holder" };
    case "release":
      if (action.who !== "staff") return { state, answer: "insufficient_scope" };
      if (lock === undefined) return { state, answer: "ok" };
      return mayAsStaff
        ? removed(state, action, "lock_released_by_staff")
        : { state, answer: "insufficient_scope" };
    case "token":
      if (lock === undefined || isHolder) return { state, answer: "ok" };
      return { state, answer: lock.lost ? "device_lost" : "custody_proof_required" };
    case "lose":
      if (lock === undefined) return { state, answer: action.lost ? "not_lock_holder" : "ok" };
      if (!isHolder && !mayAsStaff) return { state, answer: "not_lock_holder" };
      return lock.lost === action.lost
        ? { state, answer: "ok" }
        : changed(
            state,
            action,
            { ...lock, lost: action.lost },
            action.lost ? "tag_marked_lost" : "tag_found",
          );
  }
}

const holds = ({ loaded }: State, { holder, plan }: Lock, who: Actor) =>
  holder === who || loaded.includes(`${who} ${plan}`);

function load(state: State, { who, knows }: Extract<Action, { does: "load" }>): Step {
  const isSeen = knows !== "nothing" && state.live.includes(knows) && (who !== "staff" || isOfStaff(knows));
  if (!isSeen) return { state, answer: "journey_not_found" };
  if (who === "staff") return { state, answer: "ok" };
  return {
    state: { ...state, loaded: [...new Set([...state.loaded, `${who} ${knows}`])].sort() },
    answer: "ok",
  };
}

function attach(state: State, action: Extract<Action, { does: "attach" }>, isHolder: boolean): Step {
  const { who, tag, bag } = action;
  const plan = PLAN_OF[bag];
  const lock = state.locks[tag];
  if (!state.live.includes(plan)) return { state, answer: "baggage_not_found" };
  if (lock !== undefined && !isHolder) return { state, answer: "device_locked" };
  if (lock?.bag === bag) return { state, answer: "ok" };
  return changed(state, action, { plan, bag, holder: who, lost: false }, "tag_attached");
}

type OfTag = Exclude<Action, { does: "load" }>;

const audited = ({ audit }: State, { tag, who }: OfTag, event: string) => [
  ...audit,
  `${event} ${tag} ${who}`,
];

const changed = (state: State, action: OfTag, lock: Lock, event: string): Step => ({
  state: { ...state, locks: { ...state.locks, [action.tag]: lock }, audit: audited(state, action, event) },
  answer: "ok",
});

function removed(state: State, action: OfTag, event: string): Step {
  const { [action.tag]: _gone, ...locks } = state.locks;
  return { state: { ...state, locks, audit: audited(state, action, event) }, answer: "ok" };
}

/** The state once `plans` are past: their locks are gone without a trace. */
export function expired(state: State, plans: readonly Plan[]): State {
  const live = state.live.filter((plan) => !plans.includes(plan));
  const locks = Object.entries(state.locks).filter(([, { plan }]) => live.includes(plan));
  return { ...state, live, locks: Object.fromEntries(locks) };
}

/** Actions of one caller in their order, and what each was answered. */
export type Observed = readonly { readonly action: Action; readonly answer: string }[];

/**
 * Looks for an order of the concurrent actions that explains all answers and the final state. Returns the state after it,
 * undefined if there is none.
 */
export function explain(state: State, observed: readonly Observed[], left: State): State | undefined {
  const open = observed.filter((steps) => steps.length > 0);
  if (open.length === 0) return isSame(state, left) ? state : undefined;
  for (const steps of open) {
    const [first, ...rest] = steps;
    if (first === undefined) continue;
    for (const next of outcomes(state, first, observed)) {
      const others = observed.map((other) => (other === steps ? rest : other));
      const after = explain(next, others, left);
      if (after !== undefined) return after;
    }
  }
  return undefined;
}

/** What may come of a step that was answered so; nothing where it may not have been. */
function outcomes(
  state: State,
  { action, answer }: Observed[number],
  observed: readonly Observed[],
): readonly State[] {
  const step = apply(state, action);
  if (step.answer === answer) return [step.state];
  // A proof is of the lock it was compared with: one attached anew meanwhile is another, which it does not remove.
  const wasOvertaken =
    action.does === "prove" &&
    answer === "custody_proof_invalid" &&
    observed.flat().some((other) => other.action.does === "attach" && other.action.tag === action.tag);
  return wasOvertaken ? [state] : [];
}

const isSame = (a: State, b: State) => canonical(a) === canonical(b);

const canonical = ({ locks, loaded, audit }: State) =>
  JSON.stringify([TAGS.map((tag) => Object.entries(locks[tag] ?? {}).sort()), loaded, [...audit].sort()]);
