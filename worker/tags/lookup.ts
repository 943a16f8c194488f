import type { EbtLockHints, EbtLockLookupRequest, EbtLockLookupResponse } from "../../core/api/index.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import type { BearerContext } from "../context.ts";
import { Reading } from "../database/batch.ts";
import { deviceKey, isKeyKnown } from "../devices/identity.ts";
import { failedNotice } from "../guards/failed-proofs.ts";
import { MASK, masked } from "../journeys/masked.ts";
import { open } from "../secrets/sealed.ts";
import { challengeFor } from "./cti.ts";
import type { Decision } from "./decision.ts";
import type { Lock } from "./facts.ts";
import { type LookupFacts, ofLookup } from "./lookup-facts.ts";
import { type DecisionRequest, routeOf, valuesOf } from "./operation.ts";
import { type Caller, hasLoaded, isAttacher, isHolder, isSupersededFor, wasHolder } from "./rules.ts";
import { devicesNamed, liveLocks, stateOf } from "./state.ts";

/**
 * Whether a tag is locked and, as far as the caller may know, to whom (endpoint 10, rules §5). Writes nothing. Callers who
 * have to prove custody get hints and, where the tag can sign, a challenge; holders get the notice of failed proofs.
 */
export const lookUp = routeOf({
  reading: new Reading(ofLookup),
  values: (ctx, tokenCaller, { uniqueDeviceId, forBaggageId }: EbtLockLookupRequest) =>
    valuesOf(ctx, tokenCaller, { uniqueDeviceId, bags: [forBaggageId] }),
  verify: async (_ctx, { uniqueDeviceId }) => ({ deviceId: deviceKey(uniqueDeviceId) }),
  decide: decideLookup,
  answer: async (ctx, input, { value }): Promise<EbtLockLookupResponse> => {
    const { answer, heldByOther } = value as Lookup;
    if (heldByOther === undefined) return answer;
    const { lock, shown, canSign } = heldByOther;
    const presence = {
      deviceId: deviceKey(input.uniqueDeviceId),
      sub: ctx.principal.sub,
      lock: lock.requestId,
    };
    return {
      ...answer,
      hints: lock.entitled ? await hintsOf(ctx, lock, shown) : CLAIM_HINTS,
      ...staffNotice(ctx, lock, shown),
      ...(canSign && { tagChallenge: toBase64Url(await challengeFor(ctx, presence)) }),
    };
  },
});

type Shown = LookupFacts["shown"][number];

interface Lookup {
  readonly answer: EbtLockLookupResponse;
  /** A lock that the caller has to prove custody for. */
  readonly heldByOther?: { readonly lock: Lock; readonly shown: Shown; readonly canSign: boolean };
}

type LookupRequest = Pick<DecisionRequest<EbtLockLookupRequest>, "caller" | "input">;

const UNLOCKED = { locked: false, sameTravelPlan: false, requiresCustodyProof: false } as const;

export function decideLookup({ caller, input }: LookupRequest, facts: LookupFacts): Decision<Lookup> {
  const state = stateOf(facts);
  const [bag] = facts.bags;
  const devices = devicesNamed(state, input.uniqueDeviceId);
  // The caller's own claim is always shown: it names the bag on the tag.
  const locks = liveLocks(state, devices, caller.now).filter(
    (lock) => isAttacher(caller, lock) || !isSupersededFor(caller, lock, bag),
  );
  const other = locks.find((lock) => !isHolder(caller, lock));
  const lock = other ?? locks[0];
  const shown = facts.shown.find(({ deviceId }) => deviceId === lock?.deviceId);
  const ended = devices.find((device) => wasHolder(caller, device));
  const canSign = input.tagCertificate !== undefined || devices.some(isKeyKnown);
  const unchanged = { before: state, after: state, outcome: "ok" } as const;
  if (lock === undefined || shown === undefined) {
    return { ...unchanged, value: { answer: { ...UNLOCKED, ...endNotice(ended) } } };
  }
  if (other === undefined)
    return { ...unchanged, value: { answer: heldAnswer(caller, input, { lock, shown }) } };
  const answer = {
    locked: true,
    sameTravelPlan: false,
    requiresCustodyProof: true,
    ...lostNotice(lock),
    ...endNotice(ended),
  };
  return { ...unchanged, value: { answer, heldByOther: { lock, shown, canSign } } };
}

/** A claim alone discloses nothing of the booking to its holder. */
const heldAnswer = (
  caller: Caller,
  { forBaggageId }: EbtLockLookupRequest,
  { lock, shown }: { readonly lock: Lock; readonly shown: Shown },
): EbtLockLookupResponse => ({
  locked: true,
  sameTravelPlan: true,
  requiresCustodyProof: false,
  ...(forBaggageId !== undefined &&
    (lock.entitled || hasLoaded(caller, lock.planId)) && { attachedBaggageId: lock.baggageId }),
  ...failedNotice(shown),
  ...lostNotice(lock),
});

/**
 * Callers who may remove a lock without a proof must see the consequences: whether the journey is over, and whether its bag would be
 * on no tag. Claims show nothing.
 */
function staffNotice({ principal }: BearerContext, { entitled }: Lock, shown: Shown) {
  if (!principal.scopes.includes("tag:release") || !entitled) return {};
  const { firstFlight, lastFlight } = shown;
  const bagOnOtherTag = Boolean(shown.bagOnOtherTag);
  if (firstFlight === null || lastFlight === null) return { bagOnOtherTag };
  return { flightDates: { first: firstFlight, last: lastFlight }, bagOnOtherTag };
}

const lostNotice = ({ lostAt }: Lock) => (lostAt === null ? {} : { lost: true });

/** For former holders: why their lock ended. */
const endNotice = (
  ended: LookupFacts["devices"][number] | undefined,
): Pick<EbtLockLookupResponse, "lockEnded"> =>
  ended?.endedReason == null || ended.endedAt === null
    ? {}
    : { lockEnded: { reason: ended.endedReason, at: new Date(ended.endedAt).toISOString() } };

/** Any caller can claim a bag by its number, so a claim returns no hints about its booking. */
const CLAIM_HINTS: EbtLockHints = { maskedRecordLocator: MASK, maskedSurname: MASK };

/** What a stranger learns of the journey that a tag is locked to: enough for its passenger to recognise it. */
async function hintsOf({ settings }: BearerContext, { planId }: Lock, shown: Shown): Promise<EbtLockHints> {
  const locator = await open(settings.dataKey, { field: "locator", id: planId }, shown.locatorSealed);
  return {
    maskedRecordLocator: masked(locator),
    maskedSurname: masked(shown.surnameInitial ?? ""),
    departureAirport: shown.departureAirport ?? "",
    destinationAirport: shown.destinationAirport ?? "",
  };
}
