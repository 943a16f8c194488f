import type { EndpointName } from "../../core/api/index.ts";
import {
  ACCESS_SECONDS,
  type Answer,
  authenticate,
  type Caller,
  type Credentials,
  isProofAgain,
  REFRESH_SECONDS,
  type Session,
  type Sessions,
} from "./api-model-sessions.ts";
import { apply, passed, seen } from "./lock-model.ts";
import { type Action, firstState, isLivePlan, PLANS, type Plan, type State, type Tag } from "./lock-state.ts";

/**
 * A model of the interface (rules §1 to §8) for a few callers, one after the other: the answer to each request, and the
 * state after it. It covers sessions, budgets, keys and repetitions; lock-model.ts covers locks. It is written from the
 * rules, not from the service. Times are seconds since the sequence began.
 */

/** Limits small enough to be met. */
export const LIMITS = {
  unvouched: { device: 2, locator: 3 },
  vouched: { device: 3, locator: 5 },
  staff: { device: 3, locator: 4 },
  windowSeconds: 900,
} as const;
const DAY = 86_400;
const HOUR = 3_600;

export interface Operation extends Pick<Action, "bag" | "knows" | "lost"> {
  readonly kind: Exclude<Action["kind"], "appoint" | "dismiss"> | "journeys" | "certificate" | "logout";
  readonly tag?: Tag;
}

export interface Call {
  readonly kind: "call";
  /** Which of the sessions there are. */
  readonly by: number;
  readonly as: Credentials;
  readonly operation: Operation;
  /** Idempotency-Key. */
  readonly key?: "k1" | "k2" | undefined;
  /** Without any field. */
  readonly isBare: boolean;
}

export interface Model extends Sessions {
  state: State;
  /** Guesses by counter. */
  readonly counters: Map<string, { count: number; ends: number }>;
  /** Outcomes under a key. */
  readonly records: Map<string, { body: string; code: string; ends: number }>;
  /** Callers who have a certificate for their key, and those whose key an operator revoked. */
  readonly certified: Set<Caller>;
  readonly revoked: Set<Caller>;
  /** The last call. */
  last?: Call;
}

export const ENDPOINT: Readonly<Record<Operation["kind"], EndpointName>> = {
  ...{ attach: "deviceAttachment", prove: "ebtCustodyProof", unlock: "ebtUnlock", release: "lockRelease" },
  ...{ token: "ebtAuthorization", lose: "deviceLoss", load: "journeyFromRecordLocator", look: "ebtLookup" },
  ...{ journeys: "journeys", certificate: "deviceClientCertificate", logout: "logout" },
} as Readonly<Record<Operation["kind"], EndpointName>>;
const TAKES_KEY: ReadonlySet<string> = new Set(["attach", "prove", "unlock"]);
const NEEDS_NOTHING: ReadonlySet<string> = new Set(["journeys", "certificate", "logout"]);

/** What a call answers; `model` is as it is afterwards. */
export function predictCall(model: Model, call: Call): Answer {
  const session = model.sessions[call.by % model.sessions.length] as Session;
  const { operation } = call;
  const credentials = { as: call.as, endpoint: ENDPOINT[operation.kind] };
  const isAgain = session.isDpop && isProofAgain(session, credentials);
  const refusal = authenticate(model, session, credentials);
  if (refusal !== undefined) return { code: refusal };
  if (operation.kind === "release" && session.who !== "staff") return { code: "insufficient_scope" };
  if (call.isBare && !NEEDS_NOTHING.has(operation.kind)) return { code: "required_info_not_provided" };
  switch (operation.kind) {
    case "look":
      return { code: "ok", body: flagsOf(model, session, operation.tag as Tag) };
    case "journeys":
      return { code: "ok", body: { journeys: ownPlans(model, session).length } };
    case "certificate":
      if (hasKey(session)) model.certified.add(session.who);
      return { code: "ok" };
    case "logout":
      session.isRevoked = true;
      return { code: "ok" };
    case "load":
      return load(model, session, operation, isAgain);
    default:
      return once(model, session, call, () =>
        act(model, session, { ...operation, who: session.who } as Action),
      );
  }
}

/** A proof counts for one load or guess; a booking that one has is read with any, and a guess over the limit counts none. */
function load(model: Model, session: Session, operation: Operation, isAgain: boolean): Answer {
  const isKnown = ownPlans(model, session).some((plan) => plan === operation.knows);
  if (isAgain && !isKnown && session.proof?.isCounted) return { code: "invalid_dpop_proof" };
  const code = act(model, session, { ...operation, who: session.who } as Action);
  if (session.proof && !isKnown && code !== "too_many_attempts") session.proof.isCounted = true;
  return { code };
}

/** Staff and a host's passenger who proved no key have none to certify; an app's is in its attestation. */
const hasKey = ({ who, isDpop }: Session) => who === "ada" || who === "attested" || isDpop;

const ownPlans = ({ state }: Model, { who }: Session) =>
  PLANS.filter((plan) => isLivePlan(state, plan) && `${who} ${plan}` in state.loaded);

/** The lock in a look-up's answer; lock-model.test.ts has earlier locks and challenges. */
function flagsOf({ state }: Model, { who }: Session, tag: Tag): object {
  const { locked, own, lost } = seen(state, { kind: "look", who, tag });
  return { locked, sameTravelPlan: own, requiresCustodyProof: locked && !own, ...(lost && { lost }) };
}

/** A request under a key that was answered before is answered so again, and does nothing. */
function once(model: Model, { who }: Session, { operation, key }: Call, perform: () => string): Answer {
  if (key === undefined || !TAKES_KEY.has(operation.kind)) return { code: perform() };
  const name = `${who} ${operation.kind} ${key}`;
  const body = JSON.stringify(operation);
  const earlier = model.records.get(name);
  if (earlier !== undefined && earlier.ends > model.now) {
    return earlier.body === body
      ? { code: earlier.code, isReplay: true }
      : { code: "idempotency_key_reused" };
  }
  const code = perform();
  if (code !== "too_many_attempts") model.records.set(name, { body, code, ends: model.now + DAY });
  return { code };
}

function act(model: Model, session: Session, action: Action): string {
  if (action.kind === "token" && hasKey(session) && model.revoked.has(session.who))
    return "unauthorized_token";
  const isGuess = action.kind === "prove" || action.kind === "load";
  const counters = isGuess ? countersOf(model, session, action) : [];
  if (counters.some(({ name, cap }) => countOf(model, name) >= cap)) return "too_many_attempts";
  for (const { name } of counters) raise(model, name);
  const { state, answer } = apply(model.state, action);
  if (answer === "ok") giveBack(model, counters);
  if (action.kind !== "load" && model.state.locks[action.tag] && !state.locks[action.tag]) {
    for (const group of ["unvouched", "vouched", "staff"])
      model.counters.delete(`tag ${group} ${action.tag}`);
  }
  model.state = state;
  return answer;
}

interface Counter {
  readonly name: string;
  readonly cap: number;
}

const GROUP = { ada: "unvouched", attested: "vouched", host: "vouched", staff: "staff" } as const;

/** The counters a guess draws on: the tag's and the locator's, of each group apart; not those of a plan the caller has loaded. */
function countersOf(model: Model, session: Session, guess: Pick<Operation, "tag" | "knows">): Counter[] {
  const group = GROUP[session.who];
  const own: readonly (Plan | undefined)[] = ownPlans(model, session);
  // Who knows nothing gives the locator of the first booking and a wrong name.
  const locator = guess.knows === "nothing" ? PLANS[0] : (guess.knows ?? PLANS[0]);
  const { device, locator: cap } = LIMITS[group];
  const isOwnTag = guess.tag === undefined || own.includes(model.state.locks[guess.tag]?.plan);
  return [
    ...(isOwnTag ? [] : [{ name: `tag ${group} ${guess.tag}`, cap: device }]),
    ...(own.includes(locator) ? [] : [{ name: `locator ${group} ${locator}`, cap }]),
  ];
}

/** The counter in the window that is running. */
function running({ counters, now }: Model, name: string) {
  const known = counters.get(name);
  return known !== undefined && known.ends > now ? known : undefined;
}

const countOf = (model: Model, name: string) => running(model, name)?.count ?? 0;

function raise(model: Model, name: string): void {
  const ends = running(model, name)?.ends ?? model.now + LIMITS.windowSeconds;
  model.counters.set(name, { count: countOf(model, name) + 1, ends });
}

function giveBack({ counters }: Model, given: readonly Counter[]): void {
  for (const { name } of given) {
    const known = counters.get(name);
    if (known !== undefined) known.count -= 1;
  }
}

/** Nothing locked, nothing loaded; bookings end an hour after one another, and no caller is limited. */
export const unlocked = (): State =>
  firstState({ locks: Infinity, claims: Infinity, perBag: 4 }, 0, {
    ...{ "demo-plan-1": HOUR * 1_000, "demo-plan-2": 2 * HOUR * 1_000 },
  });

/** Time passes: bookings end, and their locks with them. */
export function wait(model: Model, seconds: number): void {
  model.now += seconds;
  model.state = passed(model.state, model.now * 1_000);
}

/** A scheduled run deletes ended sessions and loads of past bookings; callers see no other effect. */
export function sweep(model: Model): void {
  for (const session of model.sessions) {
    if (session.refreshedAt + REFRESH_SECONDS + ACCESS_SECONDS <= model.now) session.isGone = true;
  }
  const { state } = model;
  const loaded = Object.entries(state.loaded).filter(([one]) =>
    PLANS.some((plan) => isLivePlan(state, plan) && one.endsWith(plan)),
  );
  model.state = { ...state, loaded: Object.fromEntries(loaded) };
}

/** An operator revokes the certificates of a caller. */
export function revoke({ certified, revoked }: Model, who: Caller): void {
  if (certified.has(who)) revoked.add(who);
}
