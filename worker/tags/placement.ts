import type { DeviceAttachmentRequest } from "../../core/api/index.ts";
import { MAKE } from "../../db/schema.ts";
import { type DeviceNames, isKeyKnown } from "../devices/identity.ts";
import type { AttachmentFacts } from "./attachment-facts.ts";
import type { Bag, Device, Lock } from "./facts.ts";
import {
  actorOf,
  attachmentOwner,
  type Caller,
  endingBy,
  isAttacher,
  isHolder,
  isLive,
  isSupersededFor,
} from "./rules.ts";
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
import { proofOf, type Report, withEvidence } from "./tag-statement.ts";

/**
 * What an allowed attachment leaves: the lock that it makes, moves, raises or leaves, the locks that it removes, and what is
 * stored of the tag.
 */

/** An attempt to attach a bag, as its rules see it. */
export interface Attempt {
  readonly caller: Caller;
  readonly facts: AttachmentFacts;
  readonly names: DeviceNames;
  readonly report: Report;
  readonly requestId: string;
  readonly baggageId: number;
  /** The bag to attach, if it exists. */
  readonly bag: Bag | undefined;
  readonly entitled: boolean;
  /** Whether the caller may attach the bag at all. */
  readonly isBagFound: boolean;
}

/** A device and the bag that it is locked to. */
interface Target {
  readonly device: Device;
  readonly bag: Bag;
}

export function placeLock(attempt: Attempt, state: State): State {
  const { caller, bag, names } = attempt;
  if (bag === undefined) return state;
  const registered = withRegistration(attempt, state);
  const device = deviceOf(registered, names);
  if (device === undefined) return state;
  const room = withRoom(attempt, registered, { device, bag });
  const lock = newLock(attempt, room, { device, bag });
  if (lock === undefined) return withNewProof(attempt, room, device);
  return auditedLock(withLock(room, lock), "attached", lock, { actor: actorOf(caller) });
}

/** Registers the tag. One that an entitled caller has attached is stored as long as one in use. */
function withRegistration({ caller, names, entitled }: Attempt, state: State): State {
  const { now, limits } = caller;
  const known = deviceOf(state, names);
  const reviewAt = now + (entitled ? limits.deviceUnusedSeconds : limits.claimedDeviceSeconds) * 1_000;
  if (known === undefined) {
    const device = newDevice(names.deviceId, names.uniqueDeviceId, now);
    return withDevice(state, { ...device, entitledAt: entitled ? now : null, reviewAt });
  }
  // A tag that stays needs no time of its first entitled attachment.
  if (!entitled || known.entitledAt !== null || known.reviewAt === null) return state;
  return withDevice(state, { ...known, entitledAt: now, reviewAt });
}

/** Removes what the new lock takes the place of. */
function withRoom(attempt: Attempt, before: State, target: Target): State {
  const { caller, names, bag } = attempt;
  const rows = devicesOf(before, names);
  const how = endingBy(caller);
  const superseded = liveLocks(before, rows, caller.now).filter(
    (lock) => isSupersededFor(caller, lock, bag) && !isAttacher(caller, lock),
  );
  const left = superseded.reduce(
    (state, lock) => endLock(state, lock, { event: "claim_gave_way", end: "superseded", ...how }),
    before,
  );
  const displaced = lockDisplaced(attempt, left, target.device);
  const withSpace = displaced
    ? endLock(left, displaced, { event: "displaced", end: "displaced", ...how })
    : left;
  return rows.reduce((state, { id }) => withReplaced(attempt, state, { ...target, id }), withSpace);
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
  const isMovedAway = isHolder(caller, lock) && (lock.planId !== bag.planId || isOther);
  // One write confirms a claim for its day: not for each bag that it is moved to, nor after another's.
  const isMovedClaim =
    !lock.entitled && (lock.baggageId !== baggageId || (lock.holderSub !== caller.sub && entitled));
  const recorded = isOver
    ? auditedLock(state, "lock_ended", lock, { actor: { sub: null, clientId: null } })
    : isMovedAway
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
  const keepsHolder = live?.entitled && live.planId === bag.planId;
  const owner = entitled ? attachmentOwner(caller, bag.planId) : sub;
  const life = (entitled ? limits.lockSeconds : limits.claimSeconds) * 1_000;
  const { baggageId, journeyId, planId, airline, licencePlate } = bag;
  return {
    deviceId: device.id,
    planId,
    journeyId,
    baggageId,
    airline,
    licencePlate,
    entitled,
    holderSub: keepsHolder ? live.holderSub : owner,
    writerSub: sub,
    // A claimant who has loaded the booking since keeps the tag's number for the same bag.
    commits: proofOf(caller, state, report) ?? (isSame && live?.holderSub === sub ? live.commits : null),
    cti: report.cti ?? null,
    lockedAt: now,
    endsAt: Math.min(bag.endsAt, now + life),
    lostAt: null,
    foundAt: null,
    mutedAt: null,
    requestId,
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

type DeviceModel = DeviceAttachmentRequest["device"];

/**
 * What an accepted attachment stores of the tag: what its certificate proves, other names that are free, its make. Accepted
 * ones alone, because each name is a row.
 */
export function learnDevice(attempt: Attempt, before: State, model: DeviceModel): State {
  const { names, caller, report } = attempt;
  const { evidence } = report;
  const id = deviceOf(before, names)?.id;
  if (id === undefined) return before;
  const proven =
    evidence?.deviceId === id
      ? withEvidence(before, evidence, { uniqueDeviceId: names.uniqueDeviceId, now: caller.now })
      : before;
  return withNames(attempt, withMake(proven, id, model), id);
}

function withMake(state: State, id: string, model: DeviceModel): State {
  const device = state.devices[id];
  const make = makeOf(model);
  if (device === undefined || make === undefined) return state;
  const isKnown = JSON.stringify(make) === JSON.stringify(device.model);
  return isKnown ? state : withDevice(state, { ...device, model: make });
}

/** A tag that a certificate has proven has its id alone. */
function withNames({ names }: Attempt, state: State, id: string): State {
  const device = state.devices[id];
  if (device === undefined || isKeyKnown(device)) return state;
  const free = names.aliases.filter((alias) => !(alias in state.aliases) && !(alias in state.devices));
  // Its own address is always its own, so that no lock on a tag of that address counts for it.
  const own = names.ownAlias === undefined ? [] : [names.ownAlias];
  const added = [...free, ...own].map((alias) => [alias, id] as const);
  return added.length === 0
    ? state
    : { ...state, aliases: { ...state.aliases, ...Object.fromEntries(added) } };
}

/** The parts of a DeviceModel that are about the tag. `phoneMac` is about a person and is not stored. */
function makeOf(model: DeviceModel): Record<string, string | number> | undefined {
  const present = Object.keys(MAKE)
    .map((name) => [name, model[name as keyof typeof MAKE]] as const)
    .filter((entry): entry is readonly [string, string | number] => entry[1] !== undefined);
  return present.length === 0 ? undefined : Object.fromEntries(present);
}
