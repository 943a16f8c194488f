import type { DeviceLossRequest, DeviceLossResponse } from "../../core/api/index.ts";
import { requireScopes } from "../auth/authenticate.ts";
import { Reading } from "../database/batch.ts";
import { deviceKey } from "../devices/identity.ts";
import { type VerifiedStaff, verifyStaff } from "../staff/staff-pin.ts";
import type { Decision } from "./decision.ts";
import { type Lock, ofTag, type TagFacts } from "./facts.ts";
import { type DecisionRequest, routeOf, valuesOf } from "./operation.ts";
import { actorOf, type Caller, isHolder } from "./rules.ts";
import { type Actor, auditedLock, devicesNamed, liveLocks, type State, stateOf, withLock } from "./state.ts";

const UNNAMED: VerifiedStaff = { staffId: null, right: undefined };

/**
 * Marks a locked tag as lost, or as found again (rules §5): by a holder who is entitled to the bag, or by staff of the
 * airline of its journey. The lock itself does not change, and the mark ends with it. Found again means reunited: found
 * reports and the location link go. Marking a tag lost unmutes its found reports. What changes nothing
 * leaves no trace. Throws `not_lock_holder`, and for staff who remove the mark `insufficient_scope` and as
 * `verifyStaff`.
 */
export const markLoss = routeOf({
  reading: new Reading(ofTag),
  values: (ctx, tokenCaller, { uniqueDeviceId }: DeviceLossRequest) =>
    valuesOf(ctx, tokenCaller, { uniqueDeviceId }),
  prepare: async (ctx, { lost, staff }) => {
    if (lost || !ctx.principal.staff) return UNNAMED;
    requireScopes(ctx.principal, ["tag:release"]);
    return verifyStaff(ctx, staff);
  },
  verify: async (_ctx, { uniqueDeviceId }) => ({ deviceId: deviceKey(uniqueDeviceId) }),
  decide: decideLoss,
  also: ({ right }) => right && { right },
  answer: (_, { uniqueDeviceId, lost }): DeviceLossResponse => ({ uniqueDeviceId, lost }),
});

type LossRequest = Pick<
  DecisionRequest<DeviceLossRequest, Pick<VerifiedStaff, "staffId">>,
  "caller" | "input" | "prepared"
>;

export function decideLoss({ caller, input, prepared }: LossRequest, facts: TagFacts): Decision {
  const { uniqueDeviceId, lost } = input;
  const before = stateOf(facts);
  const locks = liveLocks(before, devicesNamed(before, uniqueDeviceId), caller.now);
  const marked = locks.filter((lock) => canMark(caller, lock, lost));
  const [first] = locks;
  const isRefused = first === undefined ? lost : !marked.includes(first);
  const actor = { ...actorOf(caller), staffId: prepared.staffId };
  const mark = lost ? withLost(actor, caller.now) : withFound(actor);
  return {
    before,
    after: marked.reduce(mark, before),
    outcome: isRefused ? "not_lock_holder" : "ok",
  };
}

/** Only an entitled lock proves whose bag it is, so a claim cannot be marked lost; nor can a delegate mark a tag lost. */
function canMark(caller: Caller, lock: Lock, lost: boolean): boolean {
  if (isHolder(caller, lock, { delegates: false }) && lock.entitled) return true;
  return caller.isStaff && caller.airlines.includes(lock.airline) && (lock.entitled || !lost);
}

const withLost =
  (actor: Actor, now: number) =>
  (state: State, lock: Lock): State =>
    lock.lostAt === null
      ? auditedLock(withLock(state, { ...lock, lostAt: now, mutedAt: null }), "lost", lock, { actor })
      : state;

const withFound =
  (actor: Actor) =>
  (state: State, lock: Lock): State => {
    const reunited = { ...state, reunited: [...state.reunited, lock.deviceId] };
    if (lock.lostAt === null && lock.foundAt === null) return reunited;
    return auditedLock(withLock(reunited, { ...lock, lostAt: null, foundAt: null }), "found", lock, {
      actor,
    });
  };
