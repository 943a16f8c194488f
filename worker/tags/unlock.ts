import type { EbtUnlockRequest, EbtUnlockResponse } from "../../core/api/index.ts";
import { Reading } from "../database/batch.ts";
import type { Decision } from "./decision.ts";
import { type Lock, ofUnlock, type UnlockFacts } from "./facts.ts";
import { type DecisionRequest, keyableRouteOf, valuesOf } from "./operation.ts";
import {
  attachmentOwner,
  budgetOf,
  type Caller,
  endingBy,
  hasLoaded,
  isHolder,
  isOlderThanLock,
  isSupersededFor,
  raisesOf,
} from "./rules.ts";
import { deviceNamed, devicesNamed, endLock, liveLocks, type State, stateOf } from "./state.ts";
import { applyStatement, isStale, type Report, verifyStatement } from "./tag-statement.ts";

/**
 * Removes the lock for its holder (endpoint 12, rules §5), and a claim that is superseded for the caller; a tag that is not
 * locked stays so. Throws `not_lock_holder`, `stale_statement`, `stale_attachment`, `idempotency_key_reused`.
 */
export const unlock = keyableRouteOf({
  reading: new Reading(ofUnlock),
  values: (ctx, tokenCaller, input: EbtUnlockRequest, keyed) =>
    valuesOf(ctx, tokenCaller, {
      ...input,
      keyed,
      bags: [input.forBaggageId],
      counters: [budgetOf.attachments(tokenCaller.sub)],
    }),
  verify: verifyStatement,
  decide: decideUnlock,
  answer: (_, { uniqueDeviceId }): EbtUnlockResponse => ({ uniqueDeviceId, locked: false }),
});

export function decideUnlock(
  { caller, input, report }: Pick<DecisionRequest<EbtUnlockRequest>, "caller" | "input" | "report">,
  facts: UnlockFacts,
): Decision {
  const before = stateOf(facts);
  const [bag] = facts.bags;
  const [earlier] = facts.earlier;
  const { uniqueDeviceId } = input;
  const apply = (state: State) => applyStatement(caller, state, report, uniqueDeviceId);
  if (earlier !== undefined) return { before, after: apply(before), outcome: "ok", earlier };
  if (isStale(before, report)) return { before, after: apply(before), outcome: "stale_statement" };

  const locksIn = (state: State) => liveLocks(state, devicesNamed(state, uniqueDeviceId), caller.now);
  const canRemove = (lock: Lock) => isHolder(caller, lock) || isSupersededFor(caller, lock, bag);
  const isLate = (lock: Lock) => isHolder(caller, lock) && isOlderThanLock(report.cti, lock);
  const found = locksIn(before);
  // First what the caller may remove: the statement of the tag's own clear would only disprove the lock.
  const removed = found
    .filter((lock) => canRemove(lock) && !isLate(lock))
    .reduce((state, lock) => endedBy(caller, state, lock, report), before);
  const after = apply(removed);
  const left = locksIn(after);
  if (left.some((lock) => !canRemove(lock))) return { before, after, outcome: "not_lock_holder" };
  if (left.some(isLate)) return { before, after, outcome: "stale_attachment" };
  return found.length === 0
    ? markClear(caller, facts, report, { before, after, input })
    : { before, after, outcome: "ok" };
}

function endedBy(caller: Caller, state: State, lock: Lock, { cti }: Report): State {
  const how = endingBy(caller);
  return isHolder(caller, lock)
    ? endLock(state, lock, { event: "cleared", end: "holder", cti, ...how })
    : endLock(state, lock, { event: "claim_gave_way", end: "superseded", ...how });
}

interface Unlocked extends Pick<Decision, "before" | "after"> {
  readonly input: EbtUnlockRequest;
}

/**
 * A clear that found no lock leaves a mark, because the attachment that it undoes may arrive later. It counts as an
 * attachment; over that limit it is not stored, and the answer stays.
 */
function markClear(
  caller: Caller,
  facts: UnlockFacts,
  { cti, deviceId }: Report,
  { before, after, input }: Unlocked,
): Decision {
  const plain = { before, after, outcome: "ok" } as const;
  const isUnknown = caller.isRegistryClosed && deviceNamed(before, input.uniqueDeviceId) === undefined;
  if (cti === undefined || isUnknown) return plain;
  const { raises, retryAfter } = raisesOf(caller, facts.counters, { isBagFound: true, entitled: true });
  if (retryAfter !== undefined) return plain;
  const [bag] = facts.bags;
  const planId = bag !== undefined && hasLoaded(caller, bag.planId) ? bag.planId : null;
  const sub = planId === null ? caller.sub : attachmentOwner(caller, planId);
  const week = caller.now + caller.limits.claimedDeviceSeconds * 1_000;
  const endsAt = planId === null ? week : Math.min(week, bag?.endsAt ?? week);
  const clear = { deviceId, sub, planId, cti, clearedAt: caller.now, endsAt };
  return { ...plain, after: { ...after, clears: [clear] }, raises };
}
