/**
 * A model of the journey lock (rules §5): what each action answers and what it changes, one action after the other. It is
 * written from the rules, not from the service. Times are milliseconds, the iat of a token (`cti`) seconds.
 */

/** The owner, a companion, a stranger, a squatter with a booking of their own, a caller who is vouched for, and staff. */
export const ACTORS = ["ada", "bob", "eve", "mallory", "host", "staff"] as const;
export type Actor = (typeof ACTORS)[number];
export const TAGS = ["ebt-21-0001", "model-tag", "ebt-20-0006"] as const;
export type Tag = (typeof TAGS)[number];
export const BAGS = [1, 2, 3] as const;
export type Bag = (typeof BAGS)[number];
export const PLANS = ["demo-plan-1", "demo-plan-2"] as const;
export type Plan = (typeof PLANS)[number];

/** What is loaded at first. */
export const LOADED: readonly (readonly [Actor, Plan])[] = [
  ["ada", "demo-plan-1"],
  ["bob", "demo-plan-1"],
  ["mallory", "demo-plan-2"],
];

export const DAY = 86_400_000;
const planOf = (bag: Bag): Plan => (bag === 3 ? "demo-plan-2" : "demo-plan-1");
/** The bookings of the airlines for which the actor is vouched. */
const vouchedPlans = (who: Actor): readonly Plan[] =>
  who === "host" || who === "staff" ? ["demo-plan-1"] : [];
/** The first tag signs, and the service has its key. */
export const signs = (tag: Tag) => tag === TAGS[0];

/** The tag's statement: who asked for its last commit, and when; null where it was never written. */
export interface Statement {
  readonly by: Actor | null;
  readonly cti: number;
  readonly operation: "write" | "clear";
  readonly commits: number;
  /** Over the challenge of its sender's last look-up. */
  readonly isPresence: boolean;
}
export interface Action {
  readonly kind: "attach" | "unlock" | "release" | "token" | "look" | "prove" | "lose" | "load";
  readonly who: Actor;
  readonly tag: Tag;
  /** The bag to attach, or for which the tag is wanted. */
  readonly bag?: Bag | undefined;
  /** The booking whose locator and surname are given. */
  readonly knows?: Plan | "nothing";
  readonly lost?: boolean;
  readonly statement?: Statement;
  /** The iat of the caller's own token that the tag took. */
  readonly cti?: number;
}

export interface Lock {
  readonly plan: Plan;
  readonly bag: Bag;
  readonly entitled: boolean;
  readonly holder: Actor;
  readonly writer: Actor;
  readonly commits: number | null;
  readonly cti: number | null;
  readonly lost: boolean;
  readonly lockedAt: number;
  readonly endsAt: number;
  /** Which writing of a lock it is. */
  readonly id: number;
}
interface End {
  readonly holder: Actor;
  readonly plan: Plan;
  readonly reason: string;
  readonly at: number;
  readonly cti: number | null;
}
/** A tag, whatever becomes of its locks. */
export type Device = { readonly commits: number | null; readonly spent: number; readonly end: End | null };
/** A clear that found no lock. */
type Clear = { readonly plan: Plan | null; readonly cti: number; readonly at: number };

/** What there is at one moment. Locks past their end are not. */
export interface State {
  now: number;
  readonly ends: Readonly<Record<Plan, number>>;
  locks: Partial<Record<Tag, Lock>>;
  readonly devices: Record<Tag, Device>;
  /** By `tag actor`. */
  clears: Record<string, Clear>;
  /** `actor plan`. */
  readonly loaded: Set<string>;
  /** By `actor tag`: the lock whose challenge was shown last. */
  readonly challenges: Record<string, number | undefined>;
  /** `event tag actor`, in no particular order. */
  readonly audit: string[];
  serial: number;
}

const FREE: Device = { commits: null, spent: 0, end: null };
/** No tag is locked, none was written. */
export const firstState = (now: number, ends: State["ends"]): State => ({
  ...{ now, ends, locks: {}, clears: {}, challenges: {}, audit: [], serial: 0 },
  loaded: new Set(LOADED.map((one) => one.join(" "))),
  devices: { [TAGS[0]]: FREE, [TAGS[1]]: FREE, [TAGS[2]]: FREE },
});

export const isLivePlan = ({ ends, now }: State, plan: Plan) => ends[plan] > now;

const hasLoaded = ({ loaded }: State, who: Actor, plan: Plan) => loaded.has(`${who} ${plan}`);
const isEntitled = (state: State, who: Actor, bag: Bag | undefined) =>
  bag !== undefined &&
  isLivePlan(state, planOf(bag)) &&
  (hasLoaded(state, who, planOf(bag)) || vouchedPlans(who).includes(planOf(bag)));

/** Staff hold for a quarter of an hour what they attached. */
const isAttacher = ({ now }: State, { holder, lockedAt }: Lock, who: Actor) =>
  holder === who && (who !== "staff" || lockedAt > now - 900_000);
const isHolder = (state: State, lock: Lock, who: Actor) =>
  isAttacher(state, lock, who) || hasLoaded(state, who, lock.plan);
const isUnprovenClaim = ({ entitled, commits }: Lock) => !entitled && commits === null;
/** An unproven claim, for callers who have a booking of their own or are entitled to the bag. */
const isSuperseded = (state: State, lock: Lock, who: Actor, bag: Bag | undefined) =>
  isUnprovenClaim(lock) &&
  (isEntitled(state, who, bag) ||
    PLANS.some((plan) => isLivePlan(state, plan) && hasLoaded(state, who, plan)));
/** Whose writes prove the lock. */
const writersOf = (state: State, { entitled, holder, writer, plan }: Lock): readonly Actor[] =>
  entitled
    ? ACTORS.filter((who) => who === holder || who === writer || hasLoaded(state, who, plan))
    : [holder];

/** What `action` answers, and what is after it. */
export function apply(before: State, action: Action): { readonly state: State; readonly answer: string } {
  const state = structuredClone(before);
  return { state, answer: ACTS[action.kind](state, action) };
}

const ACTS: Readonly<Record<Action["kind"], (state: State, action: Action) => string>> = {
  ...{ attach, unlock, release, token, look: lookUp, prove, lose: markLost, load },
};

const isPresence = ({ challenges, locks }: State, { who, tag, statement }: Action) =>
  statement?.isPresence === true && challenges[`${who} ${tag}`] === (locks[tag]?.id ?? -1);
const isStale = ({ devices }: State, { tag, statement }: Action) =>
  statement !== undefined && statement.commits < (devices[tag].commits ?? 0);
/** The caller's own token that the tag took. */
const tokenOf = ({ who, statement, cti }: Action) => (statement?.by === who ? statement.cti : cti);
/** Whether the token of `cti` is older than the stored one, or than the instant where none is. */
const isOlder = (cti: number | undefined, stored: number | null, at: number) =>
  cti !== undefined && (stored === null ? (cti + 120) * 1_000 < at : cti < stored);

const audit = (state: State, event: string, { tag, who }: Action) =>
  state.audit.push(`${event} ${tag} ${who}`);
function spend({ devices }: State, tag: Tag, { commits }: Lock): void {
  devices[tag] = { ...devices[tag], spent: Math.max(devices[tag].spent, commits ?? 0) };
}

/** The reasons that former holders get. */
const REASONS = {
  ...{ cleared: "holder", claim_gave_way: "superseded", voided: "voided" },
  ...{ released: "staff", custody_proven: "proof" },
};
function end(state: State, action: Action, event: keyof typeof REASONS, cti?: number): void {
  const { tag } = action;
  const lock = state.locks[tag] as Lock;
  spend(state, tag, lock);
  const device = state.devices[tag];
  // A claim that comes and goes does not hide an earlier end from the holder before it.
  if (lock.entitled || device.end === null || device.end.at <= state.now - DAY) {
    const { holder, plan } = lock;
    state.devices[tag] = {
      ...device,
      end: { holder, plan, reason: REASONS[event], at: state.now, cti: cti ?? lock.cti },
    };
  }
  delete state.locks[tag];
  audit(state, event, action);
}

/** The statement's number is stored, and the live lock is compared with it. */
function applyStatement(state: State, action: Action): void {
  const { tag, statement } = action;
  if (statement === undefined) return;
  const { by, cti, operation, commits } = statement;
  const device = state.devices[tag];
  const inHand = isPresence(state, action);
  const newest = Math.max(device.commits ?? 0, commits);
  state.devices[tag] = { ...device, commits: newest };
  const lock = state.locks[tag];
  if (lock === undefined || commits < newest) return;
  if (!inHand && (lock.commits === null || commits <= lock.commits)) return;
  const isWriters = by !== null && operation === "write" && writersOf(state, lock).includes(by);
  const isProof = commits === lock.commits || (isWriters && commits > device.spent);
  if (!isProof || cti * 1_000 < lock.lockedAt - 7 * DAY) {
    end(state, action, "voided");
  } else if (commits !== lock.commits) {
    state.locks[tag] = { ...lock, commits, cti };
    audit(state, "proven", action);
  }
}

function attach(state: State, action: Action): string {
  applyStatement(state, action);
  const { who, tag, bag = 1 } = action;
  const lock = state.locks[tag];
  const plan = planOf(bag);
  const isOwn = lock !== undefined && isHolder(state, lock, who);
  const isReplaceable = lock !== undefined && isSuperseded(state, lock, who, bag);
  const isUnchanged = isOwn && lock.bag === bag;
  if (!isLivePlan(state, plan)) return "baggage_not_found";
  if (isStale(state, action)) return "stale_statement";
  if (lock !== undefined && !isOwn && !isReplaceable) return "device_locked";
  const cti = tokenOf(action);
  if (isOwn && !isUnchanged && isOlder(cti, lock.cti, lock.lockedAt)) return "stale_attachment";
  if (
    (lock === undefined || isReplaceable) &&
    removalsOf(state, action).some((one) => isOlder(cti, one.cti, one.at))
  )
    return "stale_attachment";
  if (isReplaceable && !isAttacher(state, lock, who)) end(state, action, "claim_gave_way");
  write(state, action);
  return "ok";
}

/** What an attachment can be late for: a holder's removal of the last lock, and clears that found none. */
function removalsOf(state: State, { who, tag, bag = 1 }: Action): readonly (End | Clear)[] {
  const last = state.devices[tag].end;
  const wasOwn = last?.reason === "holder" && wasHolder(state, last, who);
  const clears = Object.entries(state.clears).filter(
    ([key, { plan }]) => key === `${tag} ${who}` || (key.startsWith(tag) && plan === planOf(bag)),
  );
  return [...(wasOwn ? [last] : []), ...clears.map(([, clear]) => clear)];
}
const wasHolder = (state: State, { holder, plan }: End, who: Actor) =>
  holder === who || hasLoaded(state, who, plan);

/** The lock that the attachment makes, moves, raises or leaves. */
function write(state: State, action: Action): void {
  const { who, tag, bag = 1 } = action;
  const { now, ends } = state;
  const [old, plan, entitled] = [state.locks[tag], planOf(bag), isEntitled(state, who, bag)];
  const isSame = old?.bag === bag;
  const cti = tokenOf(action) ?? null;
  if (old && !old.entitled && (!isSame || (entitled && old.holder !== who))) spend(state, tag, old);
  const proof = proofOf(state, action);
  if (old && isSame && (old.entitled || !entitled)) {
    if (cti === null) return;
    state.locks[tag] = { ...old, cti: Math.max(old.cti ?? 0, cti), commits: proof ?? old.commits };
    if (proof !== null && proof !== old.commits) audit(state, "proven", action);
    return;
  }
  const commits = proof ?? (isSame && old.holder === who ? old.commits : null);
  const endsAt = Math.min(ends[plan], now + (entitled ? 14 : 1) * DAY);
  const holder = old?.entitled && old.plan === plan ? old.holder : who;
  state.locks[tag] = {
    ...{ plan, bag, entitled, holder, writer: who, commits, cti, lost: false, lockedAt: now, endsAt },
    id: state.serial++,
  };
  if (old && old.plan !== plan) audit(state, "replaced", action);
  audit(state, "attached", action);
}

/** The number that proves what the caller writes now. */
function proofOf({ devices, now }: State, { who, tag, statement }: Action): number | null {
  if (statement?.by !== who || statement.operation !== "write") return null;
  const { commits, spent } = devices[tag];
  const isNewest = statement.commits === commits && commits > spent;
  return isNewest && statement.cti >= (now - 7 * DAY) / 1_000 ? commits : null;
}

/** What the caller may remove comes first: the statement of the tag's own clear would disprove the lock. */
function unlock(state: State, action: Action): string {
  const { who, tag, bag } = action;
  if (isStale(state, action)) return "stale_statement";
  const cti = tokenOf(action);
  const refusal = () => {
    const lock = state.locks[tag];
    if (lock === undefined) return undefined;
    if (!isHolder(state, lock, who))
      return isSuperseded(state, lock, who, bag) ? undefined : "not_lock_holder";
    return isOlder(cti, lock.cti, lock.lockedAt) ? "stale_attachment" : undefined;
  };
  const lock = state.locks[tag];
  if (lock === undefined && cti !== undefined) storeClear(state, action, cti);
  if (lock !== undefined && refusal() === undefined) {
    if (isHolder(state, lock, who)) end(state, action, "cleared", cti);
    else end(state, action, "claim_gave_way");
  }
  applyStatement(state, action);
  return refusal() ?? "ok";
}

/** For its person and, if they have loaded it, the booking of their bag: for a week, and no longer than that. */
const isClearKept = ({ now, ends }: State, { plan, at }: Clear) =>
  at + 7 * DAY > now && (plan === null || ends[plan] > now);
function storeClear(state: State, { who, tag, bag }: Action, cti: number): void {
  const plan = bag !== undefined && hasLoaded(state, who, planOf(bag)) ? planOf(bag) : null;
  const key = `${tag} ${who}`;
  const clear = { plan, cti: Math.max(cti, state.clears[key]?.cti ?? 0), at: state.now };
  if (isClearKept(state, clear)) state.clears[key] = clear;
  else delete state.clears[key];
}

function release(state: State, action: Action): string {
  const { who, tag } = action;
  if (who !== "staff") return "insufficient_scope";
  const inHand = isPresence(state, action);
  applyStatement(state, action);
  const lock = state.locks[tag];
  if (lock === undefined) return "ok";
  const isOthers = !vouchedPlans(who).includes(lock.plan);
  const isWeak = isUnprovenClaim(lock) || (lock.commits === null && !signs(tag));
  if (isOthers && !inHand && !isWeak) return "insufficient_scope";
  end(state, action, "released");
  // The airline of the booking has a row of its own, which does not name the account.
  if (isOthers) state.audit.push(`released ${tag} none`);
  return "ok";
}

function token(state: State, action: Action): string {
  applyStatement(state, action);
  const { who, tag, bag } = action;
  const lock = state.locks[tag];
  if (lock === undefined || isHolder(state, lock, who) || isSuperseded(state, lock, who, bag)) return "ok";
  return lock.lost ? "device_lost" : "custody_proof_required";
}

/** For its challenge; what else it answers is in the decision tables. */
function lookUp(state: State, { who, tag }: Action): string {
  state.challenges[`${who} ${tag}`] = state.locks[tag]?.id;
  return "ok";
}

function prove(state: State, action: Action): string {
  const isRight = state.locks[action.tag]?.plan === (action.knows ?? "nothing");
  if (isRight) end(state, action, "custody_proven");
  else audit(state, "custody_proof_failed", action);
  return isRight ? "ok" : "custody_proof_invalid";
}

function markLost(state: State, action: Action): string {
  const { who, tag, lost = false } = action;
  const lock = state.locks[tag];
  if (lock === undefined) return lost ? "not_lock_holder" : "ok";
  const isOwn = isHolder(state, lock, who);
  const isOfStaff = who === "staff" && vouchedPlans(who).includes(lock.plan);
  if (!(isOwn && lock.entitled) && !(isOfStaff && (lock.entitled || !lost))) return "not_lock_holder";
  if (lock.lost === lost) return "ok";
  state.locks[tag] = { ...lock, lost };
  audit(state, lost ? "lost" : "found", action);
  return "ok";
}

function load(state: State, { who, knows = "nothing" }: Action): string {
  const isFound = knows !== "nothing" && isLivePlan(state, knows);
  if (!isFound || (who === "staff" && !vouchedPlans(who).includes(knows))) return "journey_not_found";
  if (who !== "staff") state.loaded.add(`${who} ${knows}`);
  return "ok";
}

/** The state at `now`: of locks past their end only the numbers are left. */
export function passed(before: State, now: number): State {
  const state = { ...structuredClone(before), now };
  for (const [tag, lock] of Object.entries(state.locks) as [Tag, Lock][]) {
    if (lock.endsAt <= now) spend(state, tag, lock);
    if (lock.endsAt <= now) delete state.locks[tag];
  }
  const clears = Object.entries(state.clears).filter(([, clear]) => isClearKept(state, clear));
  return { ...state, clears: Object.fromEntries(clears) };
}
