import type { TagStatement } from "../../core/sec/statement.ts";
import type { Evidence } from "../../db/schema/clients.ts";
import type { BearerContext } from "../context.ts";
import type { Bag, Device, Lock, TagFacts, UnlockFacts } from "./facts.ts";
import type { Actor } from "./state.ts";

/** The rules of the journey lock (rules §5): holders, superseded locks, late reports, spent counters, statements. Pure. */

/** The caller and the time, as far as a rule needs them. */
export interface Caller {
  readonly sub: string;
  readonly clientId: string;
  readonly isStaff: boolean;
  /** Of staff. */
  readonly airlines: readonly string[];
  /** Airlines for whose bags the caller needs no booking of their own. */
  readonly vouchedFor: readonly string[];
  /** The client demands a loaded booking for every attachment. */
  readonly requiresEntitlement: boolean;
  /** Neither staff nor development has limits. */
  readonly isUnlimited: boolean;
  /** Names the tags that are not registered do not exist. */
  readonly isRegistryClosed: boolean;
  readonly network: string;
  readonly plans: TagFacts["plans"];
  readonly hasOwnLivePlan: boolean;
  readonly now: number;
  readonly limits: BearerContext["settings"]["limits"];
}

export function callerOf(ctx: BearerContext, facts: Pick<TagFacts, "plans" | "caller">): Caller {
  const { principal, client, settings, network, now } = ctx;
  const { sub, staff, airlines } = principal;
  return {
    sub,
    clientId: client.id,
    isStaff: staff,
    airlines,
    network,
    now,
    limits: settings.limits,
    vouchedFor: vouchedAirlines(ctx),
    requiresEntitlement: client.flags.requireLoadedJourney === true,
    isUnlimited: settings.environment === "development" || staff,
    isRegistryClosed: settings.registry === "closed",
    plans: facts.plans,
    hasOwnLivePlan: Boolean(facts.caller[0]?.hasOwnLivePlan),
  };
}

export const actorOf = ({ sub, clientId }: Caller): Actor => ({ sub, clientId });

/** By whom and when a lock ends (`endLock`). */
export const endingBy = (caller: Caller) => ({
  actor: actorOf(caller),
  now: caller.now,
  claimSeconds: caller.limits.claimSeconds,
});

/** Evidence by which a third party vouches for the caller. */
const VOUCHED: readonly Evidence[] = ["federated", "b2b", "apple-appattest", "play-integrity"];

/** The airlines for whose bags the caller needs no booking of their own. */
export function vouchedAirlines({ principal, client, settings }: BearerContext): readonly string[] {
  const isVouched =
    VOUCHED.includes(principal.evidence) ||
    (principal.evidence === "demo" && settings.environment === "development");
  if (!isVouched) return [];
  return principal.staff ? principal.airlines : client.airlines;
}

export const isLive = ({ now }: Caller, { endsAt }: Lock): boolean => endsAt > now;

/** The caller's loaded booking, by knowledge or as a delegate. */
const planOf = ({ plans }: Caller, planId: string | null) => plans.find((plan) => plan.planId === planId);

export const hasLoaded = (caller: Caller, planId: string | null): boolean =>
  planOf(caller, planId) !== undefined;

/** Staff are attachers for a quarter of an hour: a kiosk's next user is another person. */
export const isAttacher = ({ sub, isStaff, now, limits }: Caller, lock: Lock): boolean =>
  lock.holderSub === sub && (!isStaff || lock.lockedAt > now - limits.staffHoldsSeconds * 1_000);

/** Made the attachment, or has loaded the booking. A delegate counts if `delegates` do, and not while the tag is lost. */
export function isHolder(caller: Caller, lock: Lock, { delegates = true } = {}): boolean {
  if (isAttacher(caller, lock)) return true;
  const plan = planOf(caller, lock.planId);
  return plan !== undefined && (plan.delegationId === null || (delegates && lock.lostAt === null));
}

/** A holder who may move the lock to a bag of `planId`: a delegate only within the booking. */
export const canMove = (caller: Caller, lock: Lock, planId: string | undefined): boolean =>
  isHolder(caller, lock, { delegates: lock.planId === planId });

/** Loaded the booking, or its airline vouches; in the fortnight before the first flight, until the booking is past. */
export function isEntitled(caller: Caller, bag: Bag | undefined): boolean {
  if (bag === undefined || bag.endsAt <= caller.now) return false;
  if (bag.firstFlightDate > lastFirstFlight(caller)) return false;
  return hasLoaded(caller, bag.planId) || caller.vouchedFor.includes(bag.airline);
}

const lastFirstFlight = ({ now, limits }: Caller) =>
  new Date(now + limits.entitledAheadSeconds * 1_000).toISOString().slice(0, 10);

/** A claim that no statement of the tag has confirmed. */
export const isUnprovenClaim = ({ entitled, commits }: Lock): boolean => !entitled && commits === null;

/** An unproven claim is superseded for callers with a live booking of their own, or who are entitled to `bag`. */
export const isSupersededFor = (caller: Caller, lock: Lock, bag: Bag | undefined): boolean =>
  isUnprovenClaim(lock) && (caller.hasOwnLivePlan || isEntitled(caller, bag));

/** The holder of what the caller attaches: a delegate's delegator, so that the end of the delegation removes their access. */
export const attachmentOwner = (caller: Caller, planId: string): string =>
  planOf(caller, planId)?.delegator ?? caller.sub;

/** A transaction token lives no longer. */
const TOKEN_LIFE_SECONDS = 120;

/**
 * Whether the token of `cti` (hex) is older than what is stored: by the first eight digits, which are its time, or, where
 * no `cti` is stored, by the token's end before `at` (milliseconds).
 */
export function isOlder(cti: string | undefined, stored: string | null, at: number): boolean {
  if (cti === undefined) return false;
  if (stored === null) return (Number.parseInt(cti.slice(0, 8), 16) + TOKEN_LIFE_SECONDS) * 1_000 < at;
  return cti.slice(0, 8) < stored.slice(0, 8);
}

export const isOlderThanLock = (cti: string | undefined, lock: Lock): boolean =>
  isOlder(cti, lock.cti, lock.lockedAt);

/** Whether a holder has removed the tag's last lock since, and the caller was a holder of it, too. */
export const isOlderThanRemoval = (caller: Caller, cti: string | undefined, device: Device): boolean =>
  device.endedReason === "holder" &&
  device.endedAt !== null &&
  wasHolder(caller, device) &&
  isOlder(cti, device.endedCti, device.endedAt);

/** Whether the caller was a holder of the tag's last lock that ended. */
export const wasHolder = (caller: Caller, { endedHolderSub, endedPlanId }: Device): boolean =>
  endedHolderSub === caller.sub || hasLoaded(caller, endedPlanId);

const HOUR = 3_600_000;

/** A counter to raise by one: the whole batch fails if it would be over its cap. */
export interface Raise {
  readonly key: string;
  readonly cap: number;
  /** Milliseconds, of a window that begins now. */
  readonly endsAt: number;
}

/**
 * How often one passenger may attach (rules §2): attachments an hour, claims an hour and network, and requests for bags
 * that do not exist an hour, so that no caller enumerates baggage ids. By the keys of the counters.
 */
export const budgetOf = {
  attachments: (sub: string) => `attach:${sub}`,
  unknownBags: (sub: string) => `unknown-bag:${sub}`,
  claims: (network: string) => `claim:${network}`,
};

/** The counters that an attempt to attach raises ({@link raisesWithin}). */
export function raisesOf(
  { sub, network, isUnlimited, limits, now }: Caller,
  counters: UnlockFacts["counters"],
  { isBagFound, entitled }: { readonly isBagFound: boolean; readonly entitled: boolean },
): Raised {
  if (isUnlimited) return { raises: [] };
  const endsAt = now + HOUR;
  const attachments = { key: budgetOf.attachments(sub), cap: limits.attachmentsPerSubjectPerHour, endsAt };
  const unknownBags = { key: budgetOf.unknownBags(sub), cap: limits.unknownBaggagePerSubjectPerHour, endsAt };
  const claims = { key: budgetOf.claims(network), cap: limits.claimsPerNetworkPerHour, endsAt };
  if (!isBagFound) return raisesWithin(counters, [attachments, unknownBags], now);
  // An entitled attachment is never refused because others of its network have claimed too much.
  const raised = entitled ? [attachments] : [attachments, claims];
  // Applies to existing bags, too: a caller over this limit learns nothing of them.
  return raisesWithin(counters, raised, now, [unknownBags]);
}

/** Counters to raise; or none, and the seconds until none of them is spent. */
interface Raised {
  readonly raises: readonly Raise[];
  readonly retryAfter?: number;
}

/** `raises`, if none of them is spent and none of `others`. */
export function raisesWithin(
  counters: UnlockFacts["counters"],
  raises: readonly Raise[],
  now: number,
  others: readonly Raise[] = [],
): Raised {
  const waits = [...raises, ...others].flatMap(({ key, cap, endsAt }) => {
    const running = counters.find((counter) => counter.key === key) ?? { count: 0, endsAt };
    return running.count >= cap ? [Math.ceil((running.endsAt - now) / 1_000)] : [];
  });
  return waits.length === 0 ? { raises } : { raises: [], retryAfter: Math.max(1, ...waits) };
}

/**
 * What a verified statement decides of the live lock (rules §5).
 *
 * - `disproved`: no writer of this lock requested the tag's last commit, or its number is spent.
 * - `proven`: a writer did, so no other person has written the tag since.
 * - `undecided`: the statement proves nothing about this lock.
 */
export type ProofDecision = "disproved" | "proven" | "undecided";

export interface ComparedStatement {
  readonly statement: Pick<TagStatement, "cti" | "operation" | "commits">;
  /** Made under this caller's challenge for this very lock. */
  readonly isPresence: boolean;
  /** When the token of its `cti` was issued, seconds since 1970; undefined without a `cti`. */
  readonly issuedAt: number | undefined;
  /** Whether the `cti` was made for a writer of the lock; `unknown` where its key is no longer configured. */
  readonly isByWriter: boolean | "unknown";
  /** Numbers up to this one prove nothing any more. */
  readonly spent: number;
}

/** A token may be this much older than the lock that its attachment made: the page was offline (rules §5). */
export const ATTACHED_WITHIN_SECONDS = 7 * 86_400;

export function decideProof(
  lock: Pick<Lock, "lockedAt" | "commits">,
  { statement, isPresence, issuedAt: issued, isByWriter, spent }: ComparedStatement,
): ProofDecision {
  // Without numbers, only a statement made now shows which of two writes was the last.
  const isNewer = lock.commits !== null && statement.commits > lock.commits;
  if (!isPresence && !isNewer) return "undecided";
  if (statement.operation !== "write" || issued === undefined) return "disproved";
  if (issued < lock.lockedAt / 1_000 - ATTACHED_WITHIN_SECONDS) return "disproved";
  // It has proven the lock before, when its author was one of the writers.
  if (statement.commits === lock.commits) return "proven";
  if (isByWriter === "unknown") return "undecided";
  // A number that proved an ended lock proves no other.
  return isByWriter && statement.commits > spent ? "proven" : "disproved";
}
