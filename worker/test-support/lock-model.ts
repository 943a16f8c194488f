import {
  attachesFor,
  clearsFor,
  hasLoaded,
  isDelegate,
  isLivePlan,
  knowsPlan,
  livePlansOf,
  passedClears,
  withClear,
  withoutTag,
} from "./lock-loaded.ts";
import {
  ACTORS,
  type Action,
  type Actor,
  BAGS_OF,
  type Bag,
  DAY,
  type Device,
  type End,
  type Lock,
  type OfTag,
  PLAN_OF,
  type Seen,
  type State,
  type Statement,
  type Step,
  signs,
  TAGS,
  type Tag,
  type Telling,
  VOUCHED,
} from "./lock-state.ts";

/**
 * A model of the journey lock (rules §5), small enough to be read at once: the answer to each action and what it
 * changes, one action after the other. It is written from the rules, not from the service. Times are milliseconds,
 * the iat of a token (`cti`) seconds.
 */

const UNHEARD: Device = { heard: null, spent: 0, end: null };
export const deviceOf = ({ devices }: State, tag: Tag): Device => devices[tag] ?? UNHEARD;
/** Whether the caller is entitled to the bag: loaded its booking, or is vouched for its airline's bags. */
export const isEntitled = (state: State, who: Actor, bag: Bag | undefined): boolean => {
  if (bag === undefined || !isLivePlan(state, PLAN_OF[bag])) return false;
  return hasLoaded(state, who, PLAN_OF[bag]) || (VOUCHED[who] ?? []).includes(PLAN_OF[bag]);
};

/** Staff hold for a quarter of an hour what they attached. */
const isAttacher = ({ now }: State, { holder, lockedAt }: Lock, who: Actor) =>
  holder === who && (who !== "staff" || lockedAt > now - 900_000);
/** A delegate holds no tag that is called lost. */
export const holds = (state: State, lock: Lock, who: Actor) =>
  isAttacher(state, lock, who) || (lock.lost ? knowsPlan : hasLoaded)(state, who, lock.plan);
export const isBareClaim = ({ entitled, commits }: Lock) => !entitled && commits === null;
const givesWay = (state: State, lock: Lock, who: Actor, bag: Bag | undefined) =>
  isBareClaim(lock) && (livePlansOf(state, who).length > 0 || isEntitled(state, who, bag));

/** Whose writes prove the lock. */
export const writersOf = ({ loaded }: State, lock: Lock): readonly Actor[] =>
  lock.entitled
    ? ACTORS.filter(
        (who) => [lock.holder, lock.writer].includes(who) || loaded.includes(`${who} ${lock.plan}`),
      )
    : [lock.holder];

/** What `action` answers, and what is after it. */
export function apply(before: State, action: Action): Step {
  if (!("tag" in action)) return withoutTag(before, action);
  if (action.does === "look") return look(before, action);
  if (action.does === "release" && action.who !== "staff")
    return { state: before, answer: "insufficient_scope" };
  const statement = "statement" in action ? shown(before, action) : undefined;
  if (action.does === "unlock") return unlock(before, action, statement);
  const isInHand = isPresence(before, action, statement);
  const state = statement === undefined ? before : hear(before, action, statement);
  const isStale = statement !== undefined && statement.commits < (deviceOf(state, action.tag).heard ?? 0);
  switch (action.does) {
    case "attach":
      return attach(state, action, { statement, isStale });
    case "release":
      return release(state, action, isInHand);
    default:
      return onLock(state, action);
  }
}

/** The statement with the challenge that it carries. */
function shown({ challenges }: State, { who, tag, statement }: Telling): Statement | undefined {
  if (statement?.challenge !== "seen") return statement;
  const { challenge: _, ...rest } = statement;
  const seen = challenges[`${who} ${tag}`];
  return { ...rest, ...(seen && { challenge: seen }) };
}

function isPresence({ locks, now }: State, { who, tag }: OfTag, statement: Statement | undefined): boolean {
  const challenge = statement?.challenge;
  if (challenge === undefined || challenge === "seen") return false;
  const isTimely = slotAt(now) - challenge.slot <= 1;
  return challenge.who === who && challenge.tag === tag && challenge.lock === locks[tag]?.id && isTimely;
}
const slotAt = (now: number) => Math.floor(now / 300_000);

/** The tag's word: its number is kept, and the lock that stands is judged by it. */
function hear(state: State, action: OfTag, statement: Statement): State {
  const { tag } = action;
  const device = deviceOf(state, tag);
  const heard = Math.max(device.heard ?? 0, statement.commits);
  const after = withDevice(state, tag, { ...device, heard });
  const lock = state.locks[tag];
  if (lock === undefined || statement.commits < heard) return after;
  const isNewer = lock.commits !== null && statement.commits > lock.commits;
  if (!isPresence(state, action, statement) && !isNewer) return after;
  const { by, cti, operation, commits } = statement;
  const isOfWriter = by !== null && operation === "write" && writersOf(state, lock).includes(by);
  const isRecent = cti * 1_000 >= lock.lockedAt - 7 * DAY;
  const isProof = commits === lock.commits || (isOfWriter && commits > device.spent);
  if (!isRecent || !isProof) return ended(after, action, { event: "voided", reason: "voided" });
  if (commits === lock.commits) return after;
  return audited(withLock(after, tag, { ...lock, commits, cti }), action, "proven");
}

interface Heard {
  readonly statement: Statement | undefined;
  readonly isStale: boolean;
}

/** The caller's own token that the tag took. */
const ctiOf = ({ who, cti }: Telling, statement: Statement | undefined) =>
  statement?.by === who ? statement.cti : cti;

/** Whether the token of `cti` is older than what is kept, or than the instant where nothing is. */
const isOlder = (cti: number | undefined, kept: number | null, at: number) =>
  cti !== undefined && (kept === null ? (cti + 120) * 1_000 < at : cti < kept);

function attach(state: State, action: Extract<Action, { does: "attach" }>, heard: Heard): Step {
  const { who, tag, bag } = action;
  const refused = refusal(state, action, heard);
  if (refused !== undefined) return { state, answer: refused };
  const lock = state.locks[tag];
  const isReplaced = lock !== undefined && givesWay(state, lock, who, bag) && !isAttacher(state, lock, who);
  const cleared = isReplaced
    ? ended(state, action, { event: "claim_gave_way", reason: "superseded" })
    : state;
  return { state: written(cleared, action, heard), answer: "ok" };
}

function refusal(
  state: State,
  action: Extract<Action, { does: "attach" }>,
  { statement, isStale }: Heard,
): string | undefined {
  const { who, tag, bag } = action;
  const lock = state.locks[tag];
  const { end } = deviceOf(state, tag);
  const isHolder = lock !== undefined && holds(state, lock, who);
  // A delegate moves a tag within the booking.
  const mayMove =
    isHolder &&
    (lock.plan === PLAN_OF[bag] || !isDelegate(state, who, lock.plan) || isAttacher(state, lock, who));
  const isWay = lock !== undefined && givesWay(state, lock, who, bag);
  const cti = ctiOf(action, statement);
  const isAttached = isHolder && lock.bag === bag;
  const isLate = isHolder && !isAttached && isOlder(cti, lock.cti, lock.lockedAt);
  const wasMine = end?.reason === "holder" && (end.holder === who || hasLoaded(state, who, end.plan));
  const ends = [...(wasMine ? [end] : []), ...clearsFor(state, action)];
  const isGone = (lock === undefined || isWay) && ends.some((one) => isOlder(cti, one.cti, one.at));
  const isTooMany = !isAllowed(state, action);
  if (isTooMany && !isAttached) return "too_many_requests";
  if (!isLivePlan(state, PLAN_OF[bag])) return "baggage_not_found";
  if (isStale) return "stale_statement";
  if (lock !== undefined && !mayMove && !isWay) return "device_locked";
  if (isLate || isGone) return "stale_attachment";
  return isTooMany ? "ok" : undefined;
}

function isAllowed(state: State, { who, tag, bag }: Extract<Action, { does: "attach" }>): boolean {
  if (who === "staff") return true;
  const isEntitledOne = isEntitled(state, who, bag);
  const others = TAGS.filter((other) => other !== tag).flatMap((other) => state.locks[other] ?? []);
  const whose = [who, attachesFor(state, who, PLAN_OF[bag])];
  const alike = others.filter(
    ({ holder, writer, entitled }) => whose.includes(holder) && writer === who && entitled === isEntitledOne,
  );
  return alike.length < (isEntitledOne ? state.caps.locks : state.caps.claims);
}

/** The lock that the attachment makes, moves, raises or leaves. */
function written(state: State, action: Extract<Action, { does: "attach" }>, { statement }: Heard): State {
  const { who, tag, bag } = action;
  const { locks, now, ends, serial } = state;
  const [old, plan] = [locks[tag], PLAN_OF[bag]];
  const entitled = isEntitled(state, who, bag);
  const isSame = old?.bag === bag;
  const isRaised = old !== undefined && entitled && !old.entitled;
  const isSpent = old !== undefined && !old.entitled && (!isSame || (entitled && old.holder !== who));
  const base = isSpent ? spent(state, tag, old) : state;
  const cti = ctiOf(action, statement) ?? null;
  const proof = proofOf(base, action, statement);
  if (old !== undefined && isSame && !isRaised) return toldAgain(base, action, { old, cti, proof });
  const isSameWrite = isSame && old.holder === who;
  const lock: Lock = {
    ...{ plan, bag, entitled, writer: who, cti, lost: false, lockedAt: now, id: serial },
    holder: old?.entitled && old.plan === plan ? old.holder : entitled ? attachesFor(state, who, plan) : who,
    commits: isSameWrite ? (proof ?? old.commits) : proof,
    endsAt: Math.min(ends[plan], now + (entitled ? 14 : 1) * DAY),
  };
  const isReplaced = old !== undefined && old.plan !== plan;
  const told = isReplaced ? audited(base, action, "replaced") : base;
  const made = audited(withLock(told, tag, lock), action, "attached");
  return displaced({ ...made, serial: serial + 1 }, action, lock);
}

function toldAgain(
  state: State,
  action: OfTag,
  { old, cti, proof }: { readonly old: Lock; readonly cti: number | null; readonly proof: number | null },
): State {
  if (cti === null) return state;
  const lock = { ...old, cti: Math.max(old.cti ?? 0, cti), commits: proof ?? old.commits };
  const kept = withLock(state, action.tag, lock);
  return lock.commits === old.commits ? kept : audited(kept, action, "proven");
}

/** The number that proves what the caller writes now. */
function proofOf(state: State, { who, tag }: OfTag, statement: Statement | undefined): number | null {
  const { heard, spent: over } = deviceOf(state, tag);
  if (statement?.by !== who || statement.operation !== "write") return null;
  const isRecent = statement.cti >= state.now / 1_000 - (7 * DAY) / 1_000;
  return isRecent && statement.commits === heard && statement.commits > over ? statement.commits : null;
}

/** A booking with more entitled locks than its bags need loses the caller's oldest, else an unproven one; a lost one last. */
function displaced(state: State, action: OfTag, { plan, entitled }: Lock): State {
  const ofPlan = TAGS.filter((tag) => state.locks[tag]?.plan === plan && state.locks[tag]?.entitled);
  if (!entitled || ofPlan.length <= BAGS_OF[plan] * state.caps.perBag) return state;
  const rank = (tag: Tag) => {
    const { holder, writer, commits, lockedAt, lost } = state.locks[tag] as Lock;
    const isOwn = [holder, writer].includes(action.who);
    return [lost ? 1 : 0, isOwn ? 0 : 1, commits === null ? 0 : 1, lockedAt] as const;
  };
  const [first] = ofPlan
    .filter((tag) => tag !== action.tag)
    .sort((a, b) => compare([...rank(a), a], [...rank(b), b]));
  const [event, reason] = ["displaced", "displaced"];
  return first === undefined ? state : ended(state, { ...action, tag: first }, { event, reason });
}

function compare(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : (a[at] as number) < (b[at] as number) ? -1 : 1;
}

/** What the caller may do comes first: the tag's word on its own clear would only void the lock. */
function unlock(before: State, action: Telling, statement: Statement | undefined): Step {
  const { who, tag, forBag } = action;
  const heardOn = (state: State) => (statement === undefined ? state : hear(state, action, statement));
  if (statement !== undefined && statement.commits < (deviceOf(before, tag).heard ?? 0))
    return { state: before, answer: "stale_statement" };
  const cti = ctiOf(action, statement);
  const refusal = (state: State) => {
    const lock = state.locks[tag];
    if (lock === undefined) return undefined;
    const isHolder = holds(state, lock, who);
    if (!isHolder && !givesWay(state, lock, who, forBag)) return "not_lock_holder";
    return isHolder && isOlder(cti, lock.cti, lock.lockedAt) ? "stale_attachment" : undefined;
  };
  const lock = before.locks[tag];
  if (lock === undefined || refusal(before) !== undefined) {
    const state = heardOn(before);
    if (lock === undefined) return { state: withClear(state, action, cti), answer: "ok" };
    return { state, answer: refusal(state) ?? "ok" };
  }
  const how = holds(before, lock, who)
    ? { event: "cleared", reason: "holder", ...(cti !== undefined && { cti }) }
    : { event: "claim_gave_way", reason: "superseded" };
  return { state: heardOn(ended(before, action, how)), answer: "ok" };
}

function release(state: State, action: Telling, isInHand: boolean): Step {
  const lock = state.locks[action.tag];
  if (lock === undefined) return { state, answer: "ok" };
  const how = { event: "released", reason: "staff" };
  if (VOUCHED.staff?.includes(lock.plan)) return { state: ended(state, action, how), answer: "ok" };
  const isWeak = isBareClaim(lock) || (lock.commits === null && !signs(action.tag));
  if (!isInHand && !isWeak) return { state, answer: "insufficient_scope" };
  const after = ended(state, action, how);
  // The airline of the booking has a row of its own, which does not name the account.
  const row = `${how.event} ${action.tag} nobody`;
  return { state: { ...after, audit: [...after.audit, row] }, answer: "ok" };
}

function onLock(state: State, action: Extract<Action, { does: "prove" | "token" | "lose" }>): Step {
  const { who, tag } = action;
  const lock = state.locks[tag];
  if (action.does === "prove") {
    if (lock === undefined || lock.plan !== action.knows) {
      return { state: audited(state, action, "custody_proof_failed"), answer: "custody_proof_invalid" };
    }
    return { state: ended(state, action, { event: "custody_proven", reason: "proof" }), answer: "ok" };
  }
  const isHolder = lock !== undefined && holds(state, lock, who);
  if (action.does === "token") {
    if (lock === undefined || isHolder || givesWay(state, lock, who, action.forBag))
      return { state, answer: "ok" };
    return { state, answer: lock.lost ? "device_lost" : "custody_proof_required" };
  }
  if (lock === undefined) return { state, answer: action.lost ? "not_lock_holder" : "ok" };
  const isOwn = knowsPlan(state, who, lock.plan) || isAttacher(state, lock, who);
  const isOfStaff = who === "staff" && VOUCHED.staff?.includes(lock.plan);
  const mayMark = (isOwn && lock.entitled) || (isOfStaff && (lock.entitled || !action.lost));
  if (!mayMark) return { state, answer: "not_lock_holder" };
  if (lock.lost === action.lost) return { state, answer: "ok" };
  const marked = withLock(state, tag, { ...lock, lost: action.lost });
  return { state: audited(marked, action, action.lost ? "lost" : "found"), answer: "ok" };
}

export function seen(state: State, { who, tag, forBag }: Extract<Action, { does: "look" }>): Seen {
  const lock = state.locks[tag];
  const { end } = deviceOf(state, tag);
  const wasHolder = end !== null && (end.holder === who || hasLoaded(state, who, end.plan));
  const notice = wasHolder ? { ended: end.reason } : {};
  const isPassed =
    lock === undefined || (givesWay(state, lock, who, forBag) && !isAttacher(state, lock, who));
  if (isPassed) return { locked: false, sameTravelPlan: false, requiresCustodyProof: false, ...notice };
  const lost = lock.lost ? ({ lost: true } as const) : {};
  if (holds(state, lock, who))
    return { locked: true, sameTravelPlan: true, requiresCustodyProof: false, ...lost };
  const challenged = signs(tag) ? ({ challenged: true } as const) : {};
  return {
    ...{ locked: true, sameTravelPlan: false, requiresCustodyProof: true },
    ...{ ...lost, ...challenged, ...notice },
  };
}

/** One text for what a look shows, whatever the order of its parts. */
export const seenText = (what: Seen) => JSON.stringify(Object.entries(what).sort());

function look(state: State, action: Extract<Action, { does: "look" }>): Step {
  const { who, tag } = action;
  const what = seen(state, action);
  const lock = state.locks[tag]?.id ?? 0;
  const given = what.challenged ? { who, tag, lock, slot: slotAt(state.now) } : undefined;
  const challenges = { ...state.challenges, [`${who} ${tag}`]: given };
  return { state: { ...state, challenges }, answer: seenText(what) };
}

const withDevice = (state: State, tag: Tag, device: Device): State => ({
  ...state,
  devices: { ...state.devices, [tag]: device },
});
const withLock = (state: State, tag: Tag, lock: Lock): State => ({
  ...state,
  locks: { ...state.locks, [tag]: lock },
});
const audited = (state: State, { tag, who }: OfTag, event: string): State => ({
  ...state,
  audit: [...state.audit, `${event} ${tag} ${who}`],
});
/** A number that proved a lock proves nothing any more. */
const spent = (state: State, tag: Tag, { commits }: Lock): State => {
  const device = deviceOf(state, tag);
  return withDevice(state, tag, { ...device, spent: Math.max(device.spent, commits ?? 0) });
};
const without = (locks: State["locks"], tag: Tag) => {
  const { [tag]: _gone, ...left } = locks;
  return left;
};

interface How {
  readonly event: string;
  readonly reason: string;
  readonly cti?: number;
}

function ended(state: State, action: OfTag, { event, reason, cti }: How): State {
  const { tag } = action;
  const lock = state.locks[tag] as Lock;
  const { holder, plan } = lock;
  const over = spent(state, tag, lock);
  const kept = deviceOf(over, tag);
  // A claim that comes and goes does not wipe out what the holder before it is still to hear.
  const isTold = lock.entitled || kept.end === null || kept.end.at <= state.now - DAY;
  const end: End = { holder, plan, reason, at: state.now, cti: cti ?? lock.cti };
  const marked = withDevice(over, tag, isTold ? { ...kept, end } : kept);
  return audited({ ...marked, locks: without(state.locks, tag) }, action, event);
}

/** The state at `now`: locks past their end are gone without a trace but their numbers. */
export function passed(state: State, now: number): State {
  const over = TAGS.filter((tag) => (state.locks[tag]?.endsAt ?? Number.POSITIVE_INFINITY) <= now);
  return over.reduce(
    (left, tag) => ({
      ...spent(left, tag, left.locks[tag] as Lock),
      locks: without(left.locks, tag),
    }),
    { ...state, now, clears: passedClears(state, now) } as State,
  );
}
