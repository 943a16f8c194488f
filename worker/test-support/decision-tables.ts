import { describe, expect, it } from "vitest";
import { limits } from "../../core/api/index.ts";
import { fromHex, toHex } from "../../core/encoding/bytes.ts";
import rules from "../../docs/rules.md?raw";
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

/**
 * The decision tables of docs/rules.md §5: each case is of a row, and the document shows the same rows. An answer is the outcome,
 * then the events that the audit log records, then `lastCommit`.
 */

export interface Given {
  readonly by?: Caller;
  readonly facts?: Partial<AttachmentFacts>;
  readonly report?: Report;
}
export type Case<More = object> = readonly [when: string, given: Given & More, answer: string];

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
/** The tag has committed more than the statement says. */
export const BEHIND: Given = { facts: { devices: [deviceOf({ commits: 8 })] }, report: reportOf() };
/** A registry that does not have the tag. */
export const CLOSED: Given = { by: callerOf({ isRegistryClosed: true }), facts: { devices: [] } };
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

function answerOf({ outcome, after, earlier, value }: Decision<unknown>): string {
  const events = after.audit.map(({ event }) => `\`${event}\``);
  const status = earlier !== undefined ? "the first answer" : outcome === "ok" ? "200" : `\`${outcome}\``;
  const { lastCommit } = (value ?? {}) as { readonly lastCommit?: string };
  return [status, ...new Set(events), ...(lastCommit === undefined ? [] : [lastCommit])].join(" ");
}

/** The rows of the table below the line `title` of the document. */
export function documented(title: string): readonly string[] {
  const lines = rules.slice(rules.indexOf(title)).split("\n");
  const table = lines.slice(lines.findIndex((line) => line.startsWith("|---")) + 1);
  return table.slice(
    0,
    table.findIndex((line) => !line.startsWith("|")),
  );
}

/** The rows that cases stand for: variants of one rule share a row. */
export const rowsOf = (cases: readonly (readonly [when: string, given: unknown, answer: string])[]) => [
  ...new Set(cases.map(([when, , answer]) => `| ${when} | ${answer} |`)),
];

export function table<More>(
  title: string,
  cases: readonly Case<More>[],
  decide: (given: Given & More) => Decision<unknown>,
) {
  describe(title, () => {
    it.each(cases)("%s", (_, given, answer) => {
      expect(answerOf(decide(given))).toBe(answer);
    });
    it("is what docs/rules.md shows", () => {
      expect(documented(title)).toEqual(rowsOf(cases));
    });
  });
}

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
