import {
  type Action,
  type Actor,
  type Bag,
  type Clear,
  DAY,
  DELEGATE,
  type OfTag,
  PLAN_OF,
  PLANS,
  type Plan,
  type State,
  type Step,
  type Telling,
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

/** A clear that found no lock is remembered for a week, for its person and, if they have loaded it, their bag's booking. */
export function withClear(state: State, { who, tag, forBag }: Telling, cti: number | undefined): State {
  const named = forBag === undefined ? undefined : PLAN_OF[forBag];
  const plan = named !== undefined && hasLoaded(state, who, named) ? named : null;
  if (cti === undefined) return state;
  const key = `${tag} ${plan === null ? who : attachesFor(state, who, plan)}`;
  const newest = Math.max(cti, state.clears[key]?.cti ?? 0);
  return { ...state, clears: { ...state.clears, [key]: { plan, cti: newest, at: state.now } } };
}

/** Those that an attachment can be late for: of the same person or their delegator, or of the bag's booking. */
export function clearsFor(state: State, { who, tag, bag }: OfTag & { readonly bag: Bag }): readonly Clear[] {
  const keys = [who, attachesFor(state, who, PLAN_OF[bag])].map((actor) => `${tag} ${actor}`);
  const found = Object.entries(state.clears).filter(
    ([key, { plan }]) => keys.includes(key) || (key.startsWith(tag) && plan === PLAN_OF[bag]),
  );
  return found.map(([, clear]) => clear);
}

export const passedClears = ({ clears }: State, now: number): State["clears"] =>
  Object.fromEntries(Object.entries(clears).filter(([, { at }]) => at + 7 * DAY > now));

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
