import type { Attempt } from "./attempt.ts";
import type { Bag, Device, Lock } from "./facts.ts";
import { actorOf, attachmentOwner, isAttacher, isHolder, isLive, isSupersededFor } from "./rules.ts";
import {
  auditedLock,
  deviceOf,
  devicesOf,
  endLock,
  liveLocks,
  newDevice,
  type State,
  withDevice,
  withLock,
  withoutLock,
  withSpentNumber,
} from "./state.ts";
import { proofOf } from "./tag-statement.ts";

/** The lock that an allowed attachment makes, moves, raises or leaves, and what goes for it (endpoint 9, rules §5). */

/** A device and the bag that it is locked to. */
interface Target {
  readonly device: Device;
  readonly bag: Bag;
}

export function placeLock(attempt: Attempt, state: State): State {
  const { caller, named: bag, names } = attempt;
  if (bag === undefined) return state;
  const registered = withRegistration(attempt, state);
  const device = deviceOf(registered, names);
  if (device === undefined) return state;
  const room = withRoom(attempt, registered, { device, bag });
  const lock = newLock(attempt, room, { device, bag });
  if (lock === undefined) return withNewProof(attempt, room, device);
  return auditedLock(withLock(room, lock), "attached", lock, { actor: actorOf(caller) });
}

/** Registers the tag. One that an entitled caller has attached is kept as long as one in use. */
function withRegistration({ caller, names, entitled }: Attempt, state: State): State {
  const { now, limits } = caller;
  const known = deviceOf(state, names);
  const reviewAt = now + (entitled ? limits.deviceUnusedSeconds : limits.claimedDeviceSeconds) * 1_000;
  if (known === undefined) {
    const device = newDevice(names.key, names.shown, now);
    return withDevice(state, { ...device, entitledAt: entitled ? now : null, reviewAt });
  }
  if (!entitled || known.entitledAt !== null) return state;
  return withDevice(state, {
    ...known,
    entitledAt: now,
    reviewAt: known.reviewAt === null ? null : reviewAt,
  });
}

/** Removes what the new lock takes the place of. */
function withRoom(attempt: Attempt, before: State, target: Target): State {
  const { caller, names, named } = attempt;
  const rows = devicesOf(before, names);
  const how = { actor: actorOf(caller), now: caller.now, claimSeconds: caller.limits.claimSeconds };
  const superseded = liveLocks(before, rows, caller.now).filter(
    (lock) => isSupersededFor(caller, lock, named) && !isAttacher(caller, lock),
  );
  const left = superseded.reduce(
    (state, lock) => endLock(state, lock, { event: "claim_gave_way", end: "superseded", ...how }),
    before,
  );
  const displaced = lockDisplaced(attempt, left, target.device);
  const roomy = displaced ? endLock(left, displaced, { event: "displaced", end: "displaced", ...how }) : left;
  return rows.reduce((state, { id }) => withReplaced(attempt, state, { ...target, id }), roomy);
}

/** The lock that a full booking loses for one more: not for a tag that has an entitled lock for the bag already. */
function lockDisplaced({ caller, facts, entitled, baggageId }: Attempt, state: State, { id }: Device) {
  const lock = state.locks[id];
  const isCounted = lock?.entitled && isLive(caller, lock) && lock.baggageId === baggageId;
  const [displaced] = facts.displaced;
  return entitled && !isCounted && displaced ? state.locks[displaced.deviceId] : undefined;
}

/**
 * A lock of one of the tag's rows, which the new one is written over or replaces. Its airline learns that it came to its
 * end, or that a holder has moved the tag to another booking or attached it by another of its names.
 */
function withReplaced(
  { caller, baggageId, entitled }: Attempt,
  state: State,
  { id, device, bag }: Target & { readonly id: string },
): State {
  const lock = state.locks[id];
  if (lock === undefined) return state;
  const isOver = !isLive(caller, lock);
  const isOther = id !== device.id;
  const isLeft = isHolder(caller, lock) && (lock.planId !== bag.planId || isOther);
  // One write confirms a claim for its day: not for each bag that it is moved to, nor after another's.
  const isMovedClaim =
    !lock.entitled && (lock.baggageId !== baggageId || (lock.holderSub !== caller.sub && entitled));
  const recorded = isOver
    ? auditedLock(state, "lock_ended", lock, { actor: { sub: null, clientId: null } })
    : isLeft
      ? auditedLock(state, "replaced", lock, { actor: actorOf(caller) })
      : state;
  const spent = isOver || isMovedClaim ? withSpentNumber(recorded, lock) : recorded;
  return isOther ? withoutLock(spent, id) : spent;
}

/** The lock as it will be; undefined where it stays as it is. */
function newLock(
  { caller, entitled, report, requestId }: Attempt,
  state: State,
  { device, bag }: Target,
): Lock | undefined {
  const { sub, now, limits } = caller;
  const old = state.locks[device.id];
  const live = old && isLive(caller, old) ? old : undefined;
  const isSame =
    live?.baggageId === bag.baggageId && live.journeyId === bag.journeyId && live.planId === bag.planId;
  const isRaised = entitled && live?.entitled === false;
  if (isSame && !isRaised) return undefined;
  // Whose attachment made the lock entitled stays its holder, whichever holder moves it within the booking.
  const isKept = live?.entitled && live.planId === bag.planId;
  const owner = entitled ? attachmentOwner(caller, bag.planId) : sub;
  const life = (entitled ? limits.lockSeconds : limits.claimSeconds) * 1_000;
  const { baggageId, journeyId, planId, airline, licencePlate } = bag;
  return {
    ...{ deviceId: device.id, planId, journeyId, baggageId, airline, licencePlate, entitled },
    ...{ holderSub: isKept ? live.holderSub : owner, writerSub: sub },
    // A claimant who has loaded the booking since keeps what the tag said of the very same bag.
    commits: proofOf(caller, state, report) ?? (isSame && live?.holderSub === sub ? live.commits : null),
    ...{ cti: report.cti ?? null, lockedAt: now, endsAt: Math.min(bag.endsAt, now + life) },
    ...{ lostAt: null, foundAt: null, mutedAt: null, requestId },
  };
}

/** The same bag again, with a newer statement of the tag: its number and the token that it took. */
function withNewProof({ caller, report }: Attempt, state: State, device: Device): State {
  const { cti } = report;
  const lock = state.locks[device.id];
  if (cti === undefined || lock === undefined || !isHolder(caller, lock)) return state;
  const proof = proofOf(caller, state, report) ?? lock.commits;
  const newer = { ...lock, commits: proof, cti: cti > (lock.cti ?? "") ? cti : lock.cti };
  const isNew = proof !== lock.commits;
  const stored = withLock(state, newer);
  return isNew ? auditedLock(stored, "proven", newer, { actor: actorOf(caller) }) : stored;
}
