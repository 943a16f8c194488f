import type { EbtUnlockResponse, LockReleaseRequest } from "../../core/api/index.ts";
import { Reading } from "../database/batch.ts";
import { isKeyKnown } from "../devices/identity.ts";
import { ApiError } from "../errors.ts";
import { type VerifiedStaff, verifyStaff } from "../staff/staff-pin.ts";
import type { Decision } from "./decision.ts";
import { type Lock, ofRelease, type ReleaseFacts } from "./facts.ts";
import { type DecisionRequest, routeOf, valuesOf } from "./operation.ts";
import { actorOf, endingBy, isUnprovenClaim, raisesWithin } from "./rules.ts";
import { audited, devicesNamed, type Ending, endLock, liveLocks, type State, stateOf } from "./state.ts";
import { applyStatement, type Report, verifyStatement } from "./tag-statement.ts";

/**
 * Removes a lock for ground staff (rules §5), who need no proof but a reason, which the audit log records. Of other airlines
 * they may release claims, unproven locks on tags that cannot sign, and any lock whose tag is in hand: its statement
 * answers their challenge. A tag that is not locked stays so. Throws `insufficient_scope` (the lock is another airline's),
 * `too_many_requests`, and as `verifyStaff`.
 */
export const releaseLock = routeOf({
  reading: new Reading(ofRelease),
  values: (ctx, tokenCaller, { uniqueDeviceId, tagStatement }: LockReleaseRequest) =>
    valuesOf(ctx, tokenCaller, { uniqueDeviceId, tagStatement, counters: [counterOf(tokenCaller.sub)] }),
  prepare: (ctx, { staff }) => verifyStaff(ctx, staff),
  verify: (ctx, input, facts) => verifyStatement(ctx, input, facts),
  decide: decideRelease,
  also: ({ right }) => right && { right },
  answer: (_, { uniqueDeviceId }): EbtUnlockResponse => ({ uniqueDeviceId, locked: false }),
});

const DAY = 86_400_000;

/** Of releases of other airlines' locks; those of one's own are not counted. */
const counterOf = (sub: string) => `release:${sub}`;

type ReleaseRequest = Pick<
  DecisionRequest<LockReleaseRequest, Pick<VerifiedStaff, "staffId">>,
  "caller" | "input" | "report" | "prepared"
>;

export function decideRelease(request: ReleaseRequest, facts: ReleaseFacts): Decision {
  const { caller, input, report } = request;
  const { uniqueDeviceId } = input;
  const before = stateOf(facts);
  const stated = applyStatement(caller, before, report, uniqueDeviceId);
  const locksIn = (state: State) => liveLocks(state, devicesNamed(state, uniqueDeviceId), caller.now);
  const isOwn = ({ airline }: Lock) => caller.airlines.includes(airline);
  const locks = locksIn(stated);
  const others = locks.filter((lock) => !isOwn(lock) && canReleaseOther(stated, report, lock));
  const own = locks.filter(isOwn).reduce(releaseOwn(request), stated);
  const counter = {
    key: counterOf(caller.sub),
    cap: caller.limits.foreignReleasesPerDay,
    endsAt: caller.now + DAY,
  };
  const { raises, retryAfter } = raisesWithin(facts.counters, others.length > 0 ? [counter] : [], caller.now);
  if (retryAfter !== undefined) return { before, after: own, outcome: "too_many_requests", retryAfter };
  const after = others.reduce(releaseOther(request), own);
  if (locksIn(after).length === 0) return { before, after, raises, outcome: "ok" };
  const error = new ApiError("insufficient_scope", { reason: "another airline's lock" });
  return { before, after, raises, outcome: "insufficient_scope", error };
}

/** The tag is in hand, the lock is an unproven claim, or it has no number and the tag no key to prove it with. */
function canReleaseOther(state: State, { verified, deviceId }: Report, lock: Lock): boolean {
  const isInHand = verified?.isPresence === true && lock.deviceId === deviceId;
  const device = state.devices[lock.deviceId];
  const cannotSign = device !== undefined && !isKeyKnown(device);
  return isInHand || isUnprovenClaim(lock) || (lock.commits === null && cannotSign);
}

const endingOf = ({ caller, input, prepared }: ReleaseRequest): Ending => ({
  event: "released",
  end: "staff",
  ...endingBy(caller),
  actor: { ...actorOf(caller), staffId: prepared.staffId },
  reason: input.reason,
});

const releaseOwn =
  (request: ReleaseRequest) =>
  (state: State, lock: Lock): State =>
    endLock(state, lock, endingOf(request));

/** The other airline's row names the releasing airline and the reason, not the account. */
const releaseOther =
  (request: ReleaseRequest) =>
  (state: State, lock: Lock): State => {
    const { airlines } = request.caller;
    const { reason } = request.input;
    const ending = endingOf(request);
    const row = { event: "released", ...ending.actor, deviceId: lock.deviceId, reason } as const;
    const recorded = audited(state, { ...row, airline: airlines[0] ?? null });
    const actor = { sub: null, clientId: null };
    return endLock(recorded, lock, { ...ending, actor, reason: `${airlines.join(" ")}: ${reason}` });
  };
