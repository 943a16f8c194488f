import {
  ACTORS,
  type Action,
  type Actor,
  BAGS_OF,
  type Bag,
  type Clear,
  DAY,
  DELEGATE,
  type End,
  GIVEN,
  isLivePlan,
  type Lock,
  PLANS,
  type Plan,
  planOf,
  type State,
  signs,
  TAGS,
  type Tag,
  vouchedPlans,
} from "./lock-state.ts";

/**
 * A model of the journey lock (rules §5): what each action answers and what it changes, one action after the other. It is
 * written from the rules, not from the service. Times are milliseconds, the iat of a token (`cti`) seconds.
 */

const loadedBy = ({ loaded }: State, who: Actor, plan: Plan) => loaded[`${who} ${plan}`];
/** Whom an attachment to the booking makes the holder. */
const ownerFor = (state: State, who: Actor, plan: Plan) =>
  loadedBy(state, who, plan) === "given" ? DELEGATE.by : who;
const hasOwnPlan = (state: State, who: Actor) =>
  PLANS.some((plan) => isLivePlan(state, plan) && loadedBy(state, who, plan) === "known");
const isEntitled = (state: State, who: Actor, bag: Bag | undefined) =>
  bag !== undefined &&
  isLivePlan(state, planOf(bag)) &&
  (loadedBy(state, who, planOf(bag)) !== undefined || vouchedPlans(who).includes(planOf(bag)));

/** Staff hold for a quarter of an hour what they attached. */
const isAttacher = ({ now }: State, { holder, lockedAt }: Lock, who: Actor) =>
  holder === who && (who !== "staff" || lockedAt > now - 900_000);
/** A delegate holds no lost tag. */
export function isHolder(state: State, lock: Lock, who: Actor): boolean {
  const loaded = loadedBy(state, who, lock.plan);
  return isAttacher(state, lock, who) || loaded === "known" || (loaded === "given" && !lock.lost);
}
const isUnprovenClaim = ({ entitled, commits }: Lock) => !entitled && commits === null;
/** An unproven claim, for callers who have a booking of their own or are entitled to the bag. */
const isSuperseded = (state: State, lock: Lock, who: Actor, bag: Bag | undefined) =>
  isUnprovenClaim(lock) && (hasOwnPlan(state, who) || isEntitled(state, who, bag));
/** Whose writes prove the lock. */
export const writersOf = (state: State, { entitled, holder, writer, plan }: Lock): readonly Actor[] =>
  entitled
    ? ACTORS.filter((who) => who === holder || who === writer || loadedBy(state, who, plan) !== undefined)
    : [holder];

/** What `action` answers, and what is after it. */
export function apply(before: State, action: Action): { readonly state: State; readonly answer: string } {
  const state = structuredClone(before);
  return { state, answer: ACTS[action.kind](state, action) };
}

const ACTS: Readonly<Record<Action["kind"], (state: State, action: Action) => string>> = {
  ...{ attach, unlock, release, token, look: lookUp, prove, lose: markLost, load },
  ...{ appoint: decideDelegation, dismiss: decideDelegation },
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

interface Ending {
  readonly event: string;
  readonly reason: string;
  readonly cti?: number | undefined;
}
function end(state: State, action: Action, { event, reason, cti }: Ending): void {
  const { tag } = action;
  const lock = state.locks[tag] as Lock;
  spend(state, tag, lock);
  const device = state.devices[tag];
  // A claim that comes and goes does not hide an earlier end from the holder before it.
  if (lock.entitled || device.end === null || device.end.at <= state.now - DAY) {
    const { holder, plan } = lock;
    state.devices[tag] = { ...device, end: { holder, plan, reason, at: state.now, cti: cti ?? lock.cti } };
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
    end(state, action, { event: "voided", reason: "voided" });
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
  const hasRoom = who === "staff" || isBelowCap(state, action);
  if (!hasRoom && !isUnchanged) return "too_many_requests";
  if (!isLivePlan(state, plan)) return "baggage_not_found";
  if (isStale(state, action)) return "stale_statement";
  // A delegate moves a tag within the booking.
  const isDelegates = lock !== undefined && loadedBy(state, who, lock.plan) === "given";
  const canMove = isOwn && (lock.plan === plan || !isDelegates || isAttacher(state, lock, who));
  if (lock !== undefined && !canMove && !isReplaceable) return "device_locked";
  const cti = tokenOf(action);
  if (isOwn && !isUnchanged && isOlder(cti, lock.cti, lock.lockedAt)) return "stale_attachment";
  if (
    (lock === undefined || isReplaceable) &&
    removalsOf(state, action).some((one) => isOlder(cti, one.cti, one.at))
  )
    return "stale_attachment";
  if (!hasRoom) return "ok";
  if (isReplaceable && !isAttacher(state, lock, who))
    end(state, action, { event: "claim_gave_way", reason: "superseded" });
  write(state, action);
  return "ok";
}

function isBelowCap(state: State, { who, tag, bag = 1 }: Action): boolean {
  const entitled = isEntitled(state, who, bag);
  const holders = [who, ownerFor(state, who, planOf(bag))];
  const alike = TAGS.filter((other) => {
    const lock = other === tag ? undefined : state.locks[other];
    return lock && holders.includes(lock.holder) && lock.writer === who && lock.entitled === entitled;
  });
  return alike.length < (entitled ? state.caps.locks : state.caps.claims);
}

/** What an attachment can be late for: a holder's removal of the last lock, and clears that found none. */
function removalsOf(state: State, { who, tag, bag = 1 }: Action): readonly (End | Clear)[] {
  const last = state.devices[tag].end;
  const wasOwn = last?.reason === "holder" && wasHolder(state, last, who);
  const persons = [who, ownerFor(state, who, planOf(bag))].map((person) => `${tag} ${person}`);
  const clears = Object.entries(state.clears).filter(
    ([key, { plan }]) => persons.includes(key) || (key.startsWith(tag) && plan === planOf(bag)),
  );
  return [...(wasOwn ? [last] : []), ...clears.map(([, clear]) => clear)];
}
const wasHolder = (state: State, { holder, plan }: End, who: Actor) =>
  holder === who || loadedBy(state, who, plan) !== undefined;

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
  const owner = entitled ? ownerFor(state, who, plan) : who;
  const commits = proof ?? (isSame && old.holder === who ? old.commits : null);
  const endsAt = Math.min(ends[plan], now + (entitled ? 14 : 1) * DAY);
  const holder = old?.entitled && old.plan === plan ? old.holder : owner;
  state.locks[tag] = {
    ...{ plan, bag, entitled, holder, writer: who, commits, cti, lost: false, lockedAt: now, endsAt },
    id: state.serial++,
  };
  if (old && old.plan !== plan) audit(state, "replaced", action);
  audit(state, "attached", action);
  if (entitled) displace(state, action, plan);
}

/** The number that proves what the caller writes now. */
function proofOf({ devices, now }: State, { who, tag, statement }: Action): number | null {
  if (statement?.by !== who || statement.operation !== "write") return null;
  const isRecent = statement.cti >= (now - 7 * DAY) / 1_000;
  const { commits, spent } = devices[tag];
  return isRecent && statement.commits === commits && commits > spent ? commits : null;
}

/** An over-full booking loses the caller's oldest lock, else an unproven one, else the oldest; a lost one last. */
function displace(state: State, action: Action, plan: Plan): void {
  const full = TAGS.filter((tag) => state.locks[tag]?.plan === plan && state.locks[tag]?.entitled);
  if (full.length <= BAGS_OF[plan] * state.caps.perBag) return;
  const rank = (tag: Tag) => {
    const { holder, writer, commits, lockedAt, lost } = state.locks[tag] as Lock;
    const isOwn = [holder, writer].includes(action.who);
    return [lost ? 1 : 0, isOwn ? 0 : 1, commits === null ? 0 : 1, lockedAt, tag].join(" ");
  };
  const [first] = full.filter((tag) => tag !== action.tag).sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  if (first) end(state, { ...action, tag: first }, { event: "displaced", reason: "displaced" });
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
    if (isHolder(state, lock, who)) end(state, action, { event: "cleared", reason: "holder", cti });
    else end(state, action, { event: "claim_gave_way", reason: "superseded" });
  }
  applyStatement(state, action);
  return refusal() ?? "ok";
}

/** For its person and, if they have loaded it, the booking of their bag: for a week, and no longer than that. */
const isClearKept = ({ now, ends }: State, { plan, at }: Clear) =>
  at + 7 * DAY > now && (plan === null || ends[plan] > now);
function storeClear(state: State, { who, tag, bag }: Action, cti: number): void {
  const plan = bag !== undefined && loadedBy(state, who, planOf(bag)) ? planOf(bag) : null;
  const key = `${tag} ${plan === null ? who : ownerFor(state, who, plan)}`;
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
  end(state, action, { event: "released", reason: "staff" });
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

/** What a look shows. */
export function seen(state: State, { who, tag, bag }: Action) {
  const lock = state.locks[tag];
  const last = state.devices[tag].end;
  const ended = last !== null && wasHolder(state, last, who) ? last.reason : undefined;
  const free = { locked: false, own: false, lost: false, challenged: false, ended };
  if (lock === undefined) return free;
  if (isSuperseded(state, lock, who, bag) && !isAttacher(state, lock, who)) return free;
  const own = isHolder(state, lock, who);
  const shown = { ...free, locked: true, own, lost: lock.lost };
  return own ? { ...shown, ended: undefined } : { ...shown, challenged: signs(tag) };
}

function lookUp(state: State, action: Action): string {
  const { who, tag } = action;
  const shown = seen(state, action);
  state.challenges[`${who} ${tag}`] = shown.challenged ? state.locks[tag]?.id : undefined;
  return JSON.stringify(shown);
}

function prove(state: State, action: Action): string {
  const lock = state.locks[action.tag];
  if (lock === undefined || lock.plan !== action.knows) {
    audit(state, "custody_proof_failed", action);
    return "custody_proof_invalid";
  }
  end(state, action, { event: "custody_proven", reason: "proof" });
  return "ok";
}

function markLost(state: State, action: Action): string {
  const { who, tag, lost = false } = action;
  const lock = state.locks[tag];
  if (lock === undefined) return lost ? "not_lock_holder" : "ok";
  const isOwn = loadedBy(state, who, lock.plan) === "known" || isAttacher(state, lock, who);
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
  if (who !== "staff") state.loaded[`${who} ${knows}`] = "known";
  return "ok";
}

/** Confirmed by the delegate; ended by them, or by a caller who knows the booking. */
function decideDelegation(state: State, { kind, who }: Action): string {
  const { delegation, loaded } = state;
  const { plan } = DELEGATE;
  if (kind === "appoint") {
    if (delegation === "gone" || !isLivePlan(state, plan)) return "delegation_ended";
    if (delegation === "waiting") loaded[GIVEN] ??= "given";
    state.delegation = "active";
    return "ok";
  }
  const canEnd = who === DELEGATE.who || loadedBy(state, who, plan) === "known";
  if (delegation === "gone" || !canEnd) return "delegation_ended";
  if (loaded[GIVEN] === "given") delete loaded[GIVEN];
  state.delegation = "gone";
  return "ok";
}

/** The state at `now`: of locks past their end only the numbers are left. */
export function passed(before: State, now: number): State {
  const state = { ...structuredClone(before), now };
  for (const tag of TAGS) {
    const lock = state.locks[tag];
    if (lock === undefined || lock.endsAt > now) continue;
    spend(state, tag, lock);
    delete state.locks[tag];
  }
  const clears = Object.entries(state.clears).filter(([, clear]) => isClearKept(state, clear));
  return { ...state, clears: Object.fromEntries(clears) };
}
