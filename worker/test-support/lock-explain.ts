import { isLivePlan } from "./lock-loaded.ts";
import { apply, deviceOf } from "./lock-model.ts";
import { type Action, type Lock, type State, TAGS, type Tag } from "./lock-state.ts";

/** Orders of concurrent actions that the lock's model can explain. */

/** Actions of one caller in their order, and what each was answered. */
export type Observed = readonly { readonly action: Action; readonly answer: string }[];
/** What is found in the service's tables. */
export type Left = Pick<State, "locks" | "devices" | "clears" | "loaded" | "audit">;

/**
 * Looks for an order of the concurrent actions that explains all answers and the final state. Returns the state after it,
 * undefined if there is none.
 */
export function explain(state: State, observed: readonly Observed[], left: Left): State | undefined {
  return search(state, observed, { left, all: observed.flat(), isAlone: observed.length < 2 });
}

interface Seen {
  readonly left: Left;
  readonly all: Observed;
  /** One caller alone: nothing can come between. */
  readonly isAlone: boolean;
}

function search(state: State, observed: readonly Observed[], seen: Seen): State | undefined {
  const open = observed.filter((steps) => steps.length > 0);
  if (open.length === 0) return isSame(state, seen.left) ? state : undefined;
  for (const steps of open) {
    const [first, ...rest] = steps;
    if (first === undefined) continue;
    for (const next of outcomes(state, first, seen)) {
      const others = observed.map((other) => (other === steps ? rest : other));
      const after = search(next, others, seen);
      if (after !== undefined) return after;
    }
  }
  return undefined;
}

/** What may come of a step that was answered so; nothing where it may not have been. */
function outcomes(
  state: State,
  { action, answer }: Observed[number],
  { all, isAlone }: Seen,
): readonly State[] {
  const step = apply(state, action);
  const usual = step.answer === answer ? [step.state] : [];
  if (!("tag" in action) || isAlone) return usual;
  // A proof is of the lock it was compared with: one that went meanwhile, or was attached anew, it does not remove.
  if (action.does === "prove" && answer === "custody_proof_invalid" && mayHaveGone(all, action))
    return [...usual, state];
  return usual;
}

/** Whether another's action has changed the tag's lock: one that was allowed, or brought word of the tag. */
const mayHaveGone = (all: Observed, proof: Action & { readonly tag: Tag }) =>
  all.some(
    ({ action, answer }) =>
      action !== proof &&
      "tag" in action &&
      action.tag === proof.tag &&
      (answer === "ok"
        ? action.does !== "look" && action.does !== "lose"
        : "statement" in action && action.statement !== undefined),
  );

const isSame = (a: State, left: Left) => canonical(a, a) === canonical(a, left);

/** What is compared: no times, but the tokens'; ends of locks only while their booking lives. */
const canonical = (state: State, { locks, devices, clears, loaded, audit }: Left) =>
  JSON.stringify([
    TAGS.map((tag) => lockParts(locks[tag])),
    TAGS.map((tag) => {
      const { heard, spent, end } = deviceOf({ ...state, devices }, tag);
      const isKept = end !== null && isLivePlan(state, end.plan);
      return [heard, spent, isKept && [end.holder, end.plan, end.reason, end.cti]];
    }),
    Object.entries(clears)
      .map(([key, { plan, cti }]) => `${key} ${plan} ${cti}`)
      .sort(),
    loaded,
    [...audit].sort(),
  ]);

const lockParts = (lock: Lock | undefined) =>
  lock && [lock.plan, lock.bag, lock.entitled, lock.holder, lock.writer, lock.commits, lock.cti, lock.lost];
