import type { DeviceAttachmentRequest, DeviceAttachmentResponse } from "../../core/api/index.ts";
import { Reading } from "../database/batch.ts";
import { deviceNames } from "../devices/identity.ts";
import { type AttachmentFacts, ofAttachment } from "./attachment-facts.ts";
import type { Decision } from "./decision.ts";
import type { Lock } from "./facts.ts";
import { type DecisionRequest, keyableRouteOf, valuesOf } from "./operation.ts";
import { type Attempt, learnDevice, placeLock } from "./placement.ts";
import {
  budgetOf,
  canMove,
  isEntitled,
  isHolder,
  isLive,
  isOlder,
  isOlderThanLock,
  isOlderThanRemoval,
  isSupersededFor,
  raisesOf,
} from "./rules.ts";
import { deviceOf, devicesOf, liveLocks, type State, stateOf } from "./state.ts";
import { applyStatement, isStale, verifyStatement } from "./tag-statement.ts";

/**
 * Attaches a bag to a tag and locks the tag to the bag's travel plan (endpoint 9, rules §5). A holder may attach again:
 * the same bag, which changes nothing, or another, which moves the lock. An entitled caller
 * supersedes an unproven claim.
 *
 * Throws `too_many_requests`, `baggage_not_found`, `device_not_found`, `device_locked`, `stale_statement`,
 * `stale_attachment`, `idempotency_key_reused`.
 */
export const attach = keyableRouteOf({
  reading: new Reading(ofAttachment),
  values: (ctx, tokenCaller, input: DeviceAttachmentRequest, keyed) => {
    const { uniqueDeviceId, deviceId, aliases, uniqueID } = deviceNames(input.device);
    const { baggageId, tagStatement } = input;
    const { liveLocksPerSubject, liveClaimsPerSubject, locksPerBag } = ctx.settings.limits;
    const { attachments, unknownBags, claims } = budgetOf;
    const counters = [attachments(tokenCaller.sub), unknownBags(tokenCaller.sub), claims(ctx.network)];
    const query = { uniqueDeviceId, aliases, tagStatement, keyed, bags: [baggageId] };
    return {
      ...valuesOf(ctx, tokenCaller, { ...query, counters }),
      deviceId,
      address: uniqueID === undefined ? deviceId : null,
      baggageId,
      locksPerBag,
      mostLocks: liveLocksPerSubject,
      mostClaims: liveClaimsPerSubject,
    };
  },
  verify: (ctx, input, facts) => {
    const { uniqueDeviceId } = deviceNames(input.device);
    return verifyStatement(ctx, { ...input, uniqueDeviceId }, facts);
  },
  decide: decideAttachment,
  answer: (_, { device, baggageId }, { answered }): DeviceAttachmentResponse => {
    const others = [answered.others ?? []].flat().map(String);
    return {
      uniqueDeviceId: deviceNames(device).uniqueDeviceId,
      baggageId,
      journeyId: String(answered.journeyId),
      locked: true,
      lockedAt: new Date(Number(answered.lockedAt)).toISOString(),
      ...(others.length > 0 && { otherDevices: others }),
    };
  },
});

type AttachmentRequest = Pick<
  DecisionRequest<DeviceAttachmentRequest>,
  "caller" | "input" | "report" | "requestId"
>;

export function decideAttachment(request: AttachmentRequest, facts: AttachmentFacts): Decision {
  const attempt = attemptOf(request, facts);
  const { caller, names, report } = attempt;
  const before = stateOf({
    ...facts,
    devices: [...facts.devices, ...facts.displaced.map(({ device }) => device)],
    locks: [...facts.locks, ...facts.displaced.map(({ device: _device, ...lock }) => lock)],
  });
  const stated = applyStatement(caller, before, report, names.uniqueDeviceId);
  const [earlier] = facts.earlier;
  if (earlier !== undefined) return { before, after: stated, outcome: "ok", earlier };
  const { raises, retryAfter } = raisesOf(caller, facts.counters, attempt);
  if (retryAfter !== undefined) {
    return { before, after: stated, outcome: "too_many_requests", retryAfter };
  }
  const refusal = refusalOf(attempt, stated);
  if (refusal !== undefined) return { before, after: stated, outcome: refusal, raises };
  const attached = hasRoom(attempt) ? placeLock(attempt, stated) : stated;
  const after = learnDevice(attempt, attached, request.input.device);
  return { before, after, raises, outcome: "ok", answered: answeredOf(attempt, after) };
}

function attemptOf({ caller, input, report, requestId }: AttachmentRequest, facts: AttachmentFacts): Attempt {
  const [bag] = facts.bags;
  const entitled = isEntitled(caller, bag);
  const isPast = bag === undefined || bag.endsAt <= caller.now;
  return {
    caller,
    facts,
    report,
    requestId,
    bag,
    entitled,
    names: deviceNames(input.device),
    baggageId: input.baggageId,
    isBagFound: !isPast && (entitled || !caller.requiresEntitlement),
  };
}

/**
 * Why an attachment is refused: the first that applies. Before it, the caller, the scope and the body (http/endpoint.ts),
 * a session that has ended (`decideOn` of operation.ts), an Idempotency-Key that another request used (`replayOf` of
 * database/idempotency.ts), and a counter that is spent (`raisesOf` of rules.ts).
 */
function refusalOf(attempt: Attempt, state: State): Exclude<Decision["outcome"], "ok"> | undefined {
  const { caller, names, bag, isBagFound, report } = attempt;
  const locks = liveLocks(state, devicesOf(state, names), caller.now);
  const isBlocking = (lock: Lock) =>
    !canMove(caller, lock, bag?.planId) && !isSupersededFor(caller, lock, bag);
  const isUnknown = deviceOf(state, names) === undefined;
  if (!hasRoom(attempt) && unchangedLock(attempt, state) === undefined) return "too_many_requests";
  if (!isBagFound) return "baggage_not_found";
  if (isStale(state, report)) return "stale_statement";
  if (locks.some(isBlocking)) return "device_locked";
  if (isLate(attempt, state, locks)) return "stale_attachment";
  if (caller.isRegistryClosed && isUnknown) return "device_not_found";
  return undefined;
}

/**
 * Whether the tag has been written or cleared again since the token that this attachment reports: a page that was offline
 * reports late. It counts against locks that the caller holds; against another holder's it decides nothing.
 */
function isLate(
  { caller, names, bag, baggageId, facts, report }: Attempt,
  state: State,
  locks: readonly Lock[],
) {
  const { cti } = report;
  const isMovedSince = (lock: Lock) =>
    isHolder(caller, lock) && lock.baggageId !== baggageId && isOlderThanLock(cti, lock);
  if (locks.some(isMovedSince)) return true;
  if (!locks.every((lock) => isSupersededFor(caller, lock, bag))) return false;
  return (
    devicesOf(state, names).some((device) => isOlderThanRemoval(caller, cti, device)) ||
    facts.clears.some((clear) => isOlder(cti, clear.cti, clear.clearedAt))
  );
}

/** Whether the caller may hold one tag more. */
const hasRoom = ({ caller, facts: { room }, entitled }: Attempt): boolean =>
  caller.isUnlimited || Boolean(entitled ? room[0]?.forLock : room[0]?.forClaim);

/** The live lock that the attempt would leave as it is, if there is one. */
function unchangedLock({ caller, names, baggageId }: Attempt, state: State): Lock | undefined {
  const lock = state.locks[deviceOf(state, names)?.id ?? names.deviceId];
  const isUnchanged = lock && isLive(caller, lock) && isHolder(caller, lock) && lock.baggageId === baggageId;
  return isUnchanged ? lock : undefined;
}

function answeredOf(attempt: Attempt, after: State): NonNullable<Decision["answered"]> {
  const lock = unchangedLock(attempt, after);
  if (lock === undefined) return {};
  const others = attempt.facts.others.filter(({ id }) => lock.entitled && !after.removed.includes(id));
  return { journeyId: lock.journeyId, lockedAt: lock.lockedAt, others: others.map(({ label }) => label) };
}
