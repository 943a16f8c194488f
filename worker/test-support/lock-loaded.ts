import {
  type Action,
  type Actor,
  DELEGATE,
  type OfTag,
  PLANS,
  type Plan,
  type State,
  type Step,
  VOUCHED,
} from "./lock-state.ts";

/** Part of the lock's model: who has loaded which booking, by knowing it or as a delegate (rules §4, §5). */

export const isLivePlan = ({ ends, now }: State, plan: Plan) => ends[plan] > now;
export const hasLoaded = ({ loaded }: State, who: Actor, plan: Plan) => loaded.includes(`${who} ${plan}`);
/** By a delegation, and not by knowing the booking. */
export const isDelegate = ({ isGiven }: State, who: Actor, plan: Plan) =>
  isGiven && who === DELEGATE.who && plan === DELEGATE.plan;
export const knowsPlan = (state: State, who: Actor, plan: Plan) =>
  hasLoaded(state, who, plan) && !isDelegate(state, who, plan);
export const livePlansOf = (state: State, who: Actor) =>
  PLANS.filter((plan) => isLivePlan(state, plan) && knowsPlan(state, who, plan));
/** For whom `who` attaches to a bag of `plan`. */
export const attachesFor = (state: State, who: Actor, plan: Plan) =>
  isDelegate(state, who, plan) ? DELEGATE.by : who;

function load(state: State, { who, knows }: Extract<Action, { does: "load" }>): Step {
  const isSeen =
    knows !== "nothing" &&
    isLivePlan(state, knows) &&
    (who !== "staff" || VOUCHED.staff?.includes(knows) === true);
  if (!isSeen) return { state, answer: "journey_not_found" };
  if (who === "staff") return { state, answer: "ok" };
  const loaded = [...new Set([...state.loaded, `${who} ${knows}`])].sort();
  const isGiven = state.isGiven && !(who === DELEGATE.who && knows === DELEGATE.plan);
  return { state: { ...state, loaded, isGiven }, answer: "ok" };
}

export function withoutTag(state: State, action: Exclude<Action, OfTag>): Step {
  if (action.does === "load") return load(state, action);
  return action.does === "appoint" ? appoint(state) : dismiss(state, action.who);
}

const GIVEN = `${DELEGATE.who} ${DELEGATE.plan}`;

function appoint(state: State): Step {
  if (state.delegation === "gone" || !isLivePlan(state, DELEGATE.plan))
    return { state, answer: "delegation_ended" };
  if (state.delegation === "active" || state.loaded.includes(GIVEN))
    return { state: { ...state, delegation: "active" }, answer: "ok" };
  const loaded = [...state.loaded, GIVEN].sort();
  return { state: { ...state, delegation: "active", loaded, isGiven: true }, answer: "ok" };
}

/** By the delegate, or whoever knows the booking. */
function dismiss(state: State, who: Actor): Step {
  const may = who === DELEGATE.who || knowsPlan(state, who, DELEGATE.plan);
  if (state.delegation === "gone" || !may) return { state, answer: "delegation_ended" };
  const loaded = state.loaded.filter((one) => !state.isGiven || one !== GIVEN);
  return { state: { ...state, delegation: "gone", loaded, isGiven: false }, answer: "ok" };
}
