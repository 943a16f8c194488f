import { limits } from "../../core/api/index.ts";
import { fromHex, toHex } from "../../core/encoding/bytes.ts";
import { decideAttachment } from "../tags/attach.ts";
import type { AttachmentFacts } from "../tags/attachment-facts.ts";
import { decideToken } from "../tags/authorize.ts";
import type { Decision } from "../tags/decision.ts";
import type { Bag, Device, Lock, TokenFacts } from "../tags/facts.ts";
import { decideLookup } from "../tags/lookup.ts";
import { decideLoss } from "../tags/loss.ts";
import { decideRelease } from "../tags/release.ts";
import type { Caller } from "../tags/rules.ts";
import { newDevice } from "../tags/state.ts";
import type { Report, VerifiedStatement } from "../tags/tag-statement.ts";
import { decideUnlock } from "../tags/unlock.ts";

/** Facts, callers and reports for the decisions of the lock, without a database. */

export const NOW = 1_790_000_000_000;
export const TAG = "tag";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The `cti` (hex) of a token of so many seconds ago. */
export const ctiOf = (secondsAgo: number): string =>
  `${(NOW / 1_000 - secondsAgo).toString(16).padStart(8, "0")}aaaaaaaa`;

/** A passenger without a booking. */
export const callerOf = (more: Partial<Caller> = {}): Caller => ({
  ...{ sub: "caller", clientId: "client", isStaff: false, airlines: [], vouchedFor: [], network: "network" },
  ...{ requiresEntitlement: false, isUnlimited: false, isRegistryClosed: false, hasOwnLivePlan: false },
  ...{ plans: [], now: NOW, limits },
  ...more,
});
export const LOADED = { planId: "plan", delegationId: null, delegator: null };
/** They have loaded the booking of bag 1. */
export const PASSENGER = callerOf({ plans: [LOADED], hasOwnLivePlan: true });
/** The same as the passenger `owner`'s delegate. */
export const DELEGATE = callerOf({ plans: [{ ...LOADED, delegationId: "d", delegator: "owner" }] });
export const STRANGER = callerOf();
export const STAFF = callerOf({ isStaff: true, isUnlimited: true, airlines: ["SK"], vouchedFor: ["SK"] });

export const deviceOf = (more: Partial<Device> = {}): Device => ({ ...newDevice(TAG, TAG, 0), ...more });

/** An entitled lock of `owner`, of an hour ago, on bag 1 of SK's booking `plan`. */
export const lockOf = (more: Partial<Lock> = {}): Lock => ({
  ...{ deviceId: TAG, planId: "plan", journeyId: "journey", baggageId: 1, entitled: true },
  ...{ holderSub: "owner", writerSub: "owner", commits: null, cti: null, lockedAt: NOW - HOUR },
  ...{ endsAt: NOW + DAY, lostAt: null, foundAt: null, mutedAt: null, requestId: "earlier" },
  ...{ airline: "SK", licencePlate: null },
  ...more,
});

export const bagOf = (more: Partial<Bag> = {}): Bag => ({
  ...{ baggageId: 1, licencePlate: "0117123456", journeyId: "journey", planId: "plan", airline: "SK" },
  ...{ firstFlightDate: new Date(NOW).toISOString().slice(0, 10), endsAt: NOW + 2 * DAY },
  ...more,
});

/** A tag that is stored and free, and bag 1. */
export const factsOf = (more: Partial<AttachmentFacts> = {}): AttachmentFacts => ({
  ...{ aliases: [], devices: [deviceOf()], locks: [], loaders: [], plans: [], bags: [bagOf()], earlier: [] },
  ...{
    caller: [{ revokedAt: null, hasOwnLivePlan: 0 }],
    counters: [],
    displaced: [],
    clears: [],
    others: [],
  },
  room: [{ forLock: 1, forClaim: 1 }],
  ...more,
});

export const NO_REPORT: Report = { deviceId: TAG };

/** What a verified statement reports: by default the caller's own write of a minute ago, the tag's seventh commit. */
export function reportOf(
  more: Partial<VerifiedStatement> = {},
  statement: Partial<VerifiedStatement["statement"]> = {},
): Report {
  const cti = fromHex(ctiOf(60));
  return {
    ...{ deviceId: TAG, cti: toHex(cti) },
    verified: {
      ...{ isByCaller: true, isPresence: false, isByWriter: true, isKeyConfigured: true },
      statement: { deviceId: TAG, cti, mark: null, operation: "write", commits: 7, ...statement },
      ...more,
    },
  };
}

export interface Given {
  readonly by?: Caller;
  readonly facts?: Partial<AttachmentFacts>;
  readonly report?: Report;
}
export const OTHERS = lockOf({ planId: "other", holderSub: "other", airline: "LH" });
export const CLAIM = lockOf({ entitled: false, planId: "other", holderSub: "other", airline: "LH" });
/** The same request came before under its key; the caller's tags are as many as they may be. */
type Facts = Partial<AttachmentFacts>;
export const EARLIER: Facts = { earlier: [{ bodyHash: "h", outcome: "ok", facts: {} }] };
export const FULL: Facts = { room: [{ forLock: 0, forClaim: 0 }] };
/** What a full booking loses. */
export const DISPLACED: Facts = {
  displaced: [{ ...lockOf({ deviceId: "old" }), device: deviceOf({ id: "old" }) }],
};
export const locked = (lock: Lock, more: Partial<AttachmentFacts> = {}): Partial<AttachmentFacts> => ({
  locks: [lock],
  ...more,
});

/** The tag has this lock; or it is free, with these fields. */
export const onLock = (lock: Lock, more: Facts = {}): { readonly facts: Facts } => ({
  facts: locked(lock, more),
});
export const onTag = (more: Partial<Device>): { readonly facts: Facts } => ({
  facts: { devices: [deviceOf(more)] },
});

export const requestOf = ({ by = PASSENGER, report = NO_REPORT }: Given) => ({
  ...{ caller: by, report, requestId: "request" },
});

/** An attachment of bag 1 to the tag, by its id unless `device` has other names. */
export interface Attaching extends Given {
  readonly device?: Parameters<typeof decideAttachment>[0]["input"]["device"];
}
export const withPlans = ({ by, facts }: Given) => factsOf({ plans: by?.plans ?? PASSENGER.plans, ...facts });
export const attached = (given: Attaching) =>
  decideAttachment(
    {
      ...requestOf(given),
      input: { device: given.device ?? { uniqueID: TAG }, baggageId: 1 },
    },
    withPlans(given),
  );
export const removed = (given: Given) =>
  decideUnlock({ ...requestOf(given), input: { uniqueDeviceId: TAG, forBaggageId: 1 } }, withPlans(given));
export const tokenFor = (
  given: Given & { readonly revoked?: TokenFacts["revoked"] },
  input: Partial<Parameters<typeof decideToken>[0]["input"]> = { forBaggageId: 1 },
): Decision<{ readonly version?: string | undefined }> =>
  decideToken(
    { ...requestOf(given), input: { uniqueDeviceId: TAG, nonce: "n", ...input } },
    { ...withPlans(given), revoked: given.revoked ?? [] },
  );
/** By staff of SK, unless it says otherwise. */
export const released = (given: Given, staffId: string | null = null) =>
  decideRelease(
    {
      ...requestOf({ by: STAFF, ...given }),
      ...{ input: { uniqueDeviceId: TAG, reason: "left behind" }, prepared: { staffId } },
    },
    factsOf(given.facts),
  );
export const marked = (lost: boolean, given: Given) =>
  decideLoss(
    { ...requestOf(given), input: { uniqueDeviceId: TAG, lost }, prepared: { staffId: null } },
    withPlans(given),
  );
const SHOWN = {
  ...{ deviceId: TAG, locatorSealed: "", surnameInitial: "L", departureAirport: "OSL" },
  ...{ destinationAirport: "HEL", firstFlight: null, lastFlight: null, bagOnOtherTag: 0 },
  ...{ failures: null, lastFailedAt: null },
};
export const lookedUp = (given: Given, forBaggageId?: number) =>
  decideLookup(
    {
      ...requestOf(given),
      input: { uniqueDeviceId: TAG, ...(forBaggageId !== undefined && { forBaggageId }) },
    },
    { ...withPlans(given), shown: [SHOWN] },
  ).value?.answer;
export const lockIn = ({ after }: Decision) => after.locks[TAG];
export const tagIn = ({ after }: Decision) => after.devices[TAG];
