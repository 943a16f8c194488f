import { limits } from "../../core/api/index.ts";
import { fromHex, toHex } from "../../core/encoding/bytes.ts";
import type { AttachmentFacts } from "../tags/attachment-facts.ts";
import type { Bag, Device, Lock } from "../tags/facts.ts";
import type { Caller } from "../tags/rules.ts";
import { newDevice } from "../tags/state.ts";
import type { Report, VerifiedStatement } from "../tags/tag-statement.ts";

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
