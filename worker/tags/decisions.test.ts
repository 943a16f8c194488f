import { describe, expect, it } from "vitest";
import { fromHex } from "../../core/encoding/bytes.ts";
import rules from "../../docs/rules.md?raw";
import {
  bagOf,
  callerOf,
  ctiOf,
  DELEGATE,
  deviceOf,
  factsOf,
  lockOf,
  NO_REPORT,
  NOW,
  PASSENGER,
  reportOf,
  STAFF,
  STRANGER,
  TAG,
} from "../test-support/decision-facts.ts";
import { decideAttachment } from "./attach.ts";
import type { AttachmentFacts } from "./attachment-facts.ts";
import { decideToken } from "./authorize.ts";
import type { Lock } from "./facts.ts";
import { decideLookup } from "./lookup.ts";
import { decideLoss } from "./loss.ts";
import type { Decision } from "./operation.ts";
import { decideRelease } from "./release.ts";
import type { Caller } from "./rules.ts";
import type { Report } from "./tag-statement.ts";
import { decideUnlock } from "./unlock.ts";

/**
 * The decision tables of docs/rules.md §5, literally: each row is a case, and the document shows the same rows. An answer is
 * the outcome, then the events that the audit log records.
 */

interface Given {
  readonly by?: Caller;
  readonly facts?: Partial<AttachmentFacts>;
  readonly report?: Report;
}
type Case<More = object> = readonly [when: string, given: Given & More, answer: string];

const DAY = 86_400_000;
const OTHERS = lockOf({ planId: "other", holderSub: "other", airline: "LH" });
const CLAIM = lockOf({ entitled: false, planId: "other", holderSub: "other", airline: "LH" });
const locked = (lock: Lock, more: Partial<AttachmentFacts> = {}): Partial<AttachmentFacts> => ({
  locks: [lock],
  ...more,
});
const OTHERS_WRITE = reportOf({ isCallers: false, isOfWriter: false });
const writtenBefore = (secondsAgo: number) =>
  reportOf({ isCallers: false, isOfWriter: false }, { cti: fromHex(ctiOf(secondsAgo)) });
/** The tag's last lock ended; its `cti` was issued so long before. */
const ended = (secondsAgo: number): Partial<AttachmentFacts> => ({
  devices: [deviceOf({ endedAt: NOW, endedReason: "staff", endedCti: ctiOf(secondsAgo) })],
});
const late = { ...NO_REPORT, cti: ctiOf(600) };
const spent = (key: string, count = 1_000) => ({ counters: [{ key, count, endsAt: NOW + 60_000 }] });

function answerOf({ outcome, after, earlier, value }: Decision<unknown>): string {
  const events = after.audit.map(({ event }) => `\`${event}\``);
  const status = earlier !== undefined ? "the first answer" : outcome === "ok" ? "200" : `\`${outcome}\``;
  const { lastCommit } = (value ?? {}) as { readonly lastCommit?: string };
  return [status, ...new Set(events), ...(lastCommit === undefined ? [] : [lastCommit])].join(" · ");
}

/** The rows of the table below the line `title` of the document. */
function documented(title: string): readonly string[] {
  const lines = rules.slice(rules.indexOf(title)).split("\n");
  const table = lines.slice(lines.findIndex((line) => line.startsWith("|---")) + 1);
  return table.slice(
    0,
    table.findIndex((line) => !line.startsWith("|")),
  );
}

function table<More>(
  title: string,
  cases: readonly Case<More>[],
  decide: (given: Given & More) => Decision<unknown>,
) {
  describe(title, () => {
    it.each(cases)("%s", (_, given, answer) => {
      expect(answerOf(decide(given))).toBe(answer);
    });
    it("is what docs/rules.md shows", () => {
      expect(documented(title)).toEqual(cases.map(([when, , answer]) => `| ${when} | ${answer} |`));
    });
  });
}

const requestOf = ({ by = PASSENGER, report = NO_REPORT }: Given) => ({
  ...{ caller: by, report, requestId: "request" },
});

table(
  "**Attach (9).**",
  [
    [
      "the key was used before",
      { facts: { earlier: [{ bodyHash: "h", outcome: "ok", facts: {} }] } },
      "the first answer",
    ],
    ["a counter of the caller is spent", { facts: spent("attach:caller") }, "`too_many_requests`"],
    [
      "… their network's, for a claim",
      { by: STRANGER, facts: spent("claim:network") },
      "`too_many_requests`",
    ],
    ["… their network's, for an entitled bag", { facts: spent("claim:network") }, "200 · `attached`"],
    [
      "they hold as many tags as they may",
      { facts: { room: [{ forLock: 0, forClaim: 0 }] } },
      "`too_many_requests`",
    ],
    [
      "… and the lock stands as they want it",
      { facts: { room: [{ forLock: 0, forClaim: 0 }], locks: [lockOf()] } },
      "200",
    ],
    ["the bag does not exist", { facts: { bags: [] } }, "`baggage_not_found`"],
    ["its booking is past", { facts: { bags: [bagOf({ endsAt: NOW })] } }, "`baggage_not_found`"],
    [
      "the client demands a loaded booking",
      { by: callerOf({ mustBeEntitled: true }) },
      "`baggage_not_found`",
    ],
    [
      "the tag has committed more than the statement says",
      { facts: { devices: [deviceOf({ commits: 8 })] }, report: reportOf() },
      "`stale_statement`",
    ],
    ["another booking's lock is live", { facts: locked(OTHERS) }, "`device_locked`"],
    [
      "a delegate moves a lock to another booking's bag",
      { by: DELEGATE, facts: locked(lockOf(), { bags: [bagOf({ planId: "other" })] }) },
      "`device_locked`",
    ],
    [
      "a holder has moved the lock since this write",
      { facts: locked(lockOf({ baggageId: 2, cti: ctiOf(60) })), report: late },
      "`stale_attachment`",
    ],
    [
      "a holder has removed the lock since this write",
      {
        facts: {
          devices: [
            deviceOf({ endedReason: "holder", endedHolderSub: "caller", endedAt: NOW, endedCti: ctiOf(60) }),
          ],
        },
        report: late,
      },
      "`stale_attachment`",
    ],
    [
      "the tag was cleared since this write, when it was not locked",
      { facts: { clears: [{ cti: ctiOf(60), clearedAt: NOW }] }, report: late },
      "`stale_attachment`",
    ],
    [
      "a closed registry does not have the tag",
      { by: callerOf({ isRegistryClosed: true }), facts: { devices: [] } },
      "`device_not_found`",
    ],
    ["the tag is free", {}, "200 · `attached`"],
    ["… and new to an open registry", { facts: { devices: [] } }, "200 · `attached`"],
    [
      "an unproven claim of another person is live",
      { facts: locked(CLAIM) },
      "200 · `claim_gave_way` · `attached`",
    ],
    ["… for a caller without a booking", { by: STRANGER, facts: locked(CLAIM) }, "`device_locked`"],
    ["… and a statement has confirmed it", { facts: locked({ ...CLAIM, commits: 3 }) }, "`device_locked`"],
    ["the caller's lock has the bag already", { facts: locked(lockOf()) }, "200"],
    [
      "… and the tag's statement proves it now",
      { facts: locked(lockOf({ holderSub: "caller" })), report: reportOf() },
      "200 · `proven`",
    ],
    [
      "the caller's lock has another bag of the booking",
      { facts: locked(lockOf({ baggageId: 2 })) },
      "200 · `attached`",
    ],
    [
      "the caller's lock is of another booking",
      { facts: locked(lockOf({ planId: "other", holderSub: "caller" })) },
      "200 · `replaced` · `attached`",
    ],
    [
      "a lock came to its end",
      { facts: locked({ ...OTHERS, endsAt: NOW }) },
      "200 · `lock_ended` · `attached`",
    ],
    [
      "the booking has as many locks as it may have",
      { facts: { displaced: [{ ...lockOf({ deviceId: "old" }), device: deviceOf({ id: "old" }) }] } },
      "200 · `displaced` · `attached`",
    ],
  ],
  (given) =>
    decideAttachment(
      { ...requestOf(given), input: { device: { uniqueID: TAG }, baggageId: 1 } },
      factsOf({ plans: given.by?.plans ?? PASSENGER.plans, ...given.facts }),
    ),
);

table(
  "**Unlock (12).**",
  [
    [
      "the key was used before",
      { facts: { earlier: [{ bodyHash: "h", outcome: "ok", facts: {} }] } },
      "the first answer",
    ],
    [
      "the tag has committed more than the statement says",
      { facts: { devices: [deviceOf({ commits: 8 })] }, report: reportOf() },
      "`stale_statement`",
    ],
    ["the tag is free", {}, "200"],
    ["the caller holds the lock", { facts: locked(lockOf()) }, "200 · `cleared`"],
    ["… as a delegate", { by: DELEGATE, facts: locked(lockOf()) }, "200 · `cleared`"],
    [
      "… as a delegate, and the tag is lost",
      { by: DELEGATE, facts: locked(lockOf({ lostAt: NOW })) },
      "`not_lock_holder`",
    ],
    [
      "… and it is newer than the clear",
      { facts: locked(lockOf({ cti: ctiOf(60) })), report: late },
      "`stale_attachment`",
    ],
    ["an unproven claim of another person is live", { facts: locked(CLAIM) }, "200 · `claim_gave_way`"],
    ["another booking's lock is live", { facts: locked(OTHERS) }, "`not_lock_holder`"],
    [
      "… and the tag's statement disproves it",
      {
        facts: locked({ ...OTHERS, commits: 3 }),
        report: reportOf({ isOfWriter: false }, { operation: "clear" }),
      },
      "200 · `voided`",
    ],
  ],
  (given) =>
    decideUnlock(
      { ...requestOf(given), input: { uniqueDeviceId: TAG, forBaggageId: 1 } },
      factsOf({ plans: given.by?.plans ?? PASSENGER.plans, ...given.facts }),
    ),
);

table(
  "**Token (8).**",
  [
    ["the session's key was revoked", { revoked: [{ revokedAt: NOW }] }, "`unauthorized_token`"],
    [
      "a closed registry does not have the tag",
      { by: callerOf({ isRegistryClosed: true }), facts: { devices: [] } },
      "`device_not_found`",
    ],
    ["the tag is free", { by: STRANGER }, "200"],
    ["the caller holds the lock", { facts: locked(lockOf()) }, "200"],
    ["an unproven claim of another person is live", { facts: locked(CLAIM) }, "200"],
    ["another booking's lock is live", { facts: locked(OTHERS) }, "`custody_proof_required`"],
    ["… and its tag is lost", { facts: locked({ ...OTHERS, lostAt: NOW }) }, "`device_lost`"],
    [
      "… and the tag in hand disproves it",
      { facts: locked(OTHERS), report: reportOf({ isOfWriter: false, isPresence: true }) },
      "200 · `voided` · own",
    ],
    ["the caller wrote the tag last", { report: reportOf({ isOfWriter: false }) }, "200 · own"],
    [
      "… a companion did, for the lock that the caller holds too",
      { facts: locked(lockOf()), report: reportOf({ isCallers: false }) },
      "200 · own",
    ],
    ["another person did, and the tag is free", { report: OTHERS_WRITE }, "200 · other"],
    [
      "… and their unproven claim is live",
      { facts: locked(CLAIM), report: reportOf({ isCallers: false }) },
      "200 · other",
    ],
    ["… for staff", { by: STAFF, report: OTHERS_WRITE }, "200"],
    ["… more than 14 days ago", { report: writtenBefore(15 * 86_400) }, "200"],
    ["… before a lock that has ended", { facts: ended(30), report: OTHERS_WRITE }, "200"],
    ["… for a lock that has ended", { facts: ended(60), report: OTHERS_WRITE }, "200"],
    ["… after a lock that has ended", { facts: ended(90), report: OTHERS_WRITE }, "200 · other"],
    [
      "… with a number that proved a lock which has ended",
      { facts: { devices: [deviceOf({ spentCommits: 7 })] }, report: OTHERS_WRITE },
      "200",
    ],
    [
      "… for a lock that is past its end",
      { facts: locked({ ...OTHERS, endsAt: NOW - 1, cti: ctiOf(60) }), report: OTHERS_WRITE },
      "200",
    ],
    [
      "… under a key that is no longer configured",
      { report: reportOf({ isCallers: false, isOfWriter: false, isKeyKept: false }) },
      "200",
    ],
    [
      "… and has cleared it",
      { report: reportOf({ isCallers: false, isOfWriter: false }, { operation: "clear" }) },
      "200",
    ],
    [
      "the statement is not the tag's newest",
      { facts: { devices: [deviceOf({ commits: 8 })] }, report: OTHERS_WRITE },
      "200",
    ],
  ] satisfies Case<{ readonly revoked?: readonly { readonly revokedAt: number }[] }>[],
  (given: Given & { readonly revoked?: readonly { readonly revokedAt: number }[] }) =>
    decideToken(
      { ...requestOf(given), input: { uniqueDeviceId: TAG, nonce: "n", forBaggageId: 1 } },
      {
        ...factsOf({ plans: given.by?.plans ?? PASSENGER.plans, ...given.facts }),
        revoked: given.revoked ?? [],
      },
    ),
);

const SHOWN = {
  ...{ deviceId: TAG, locatorSealed: "", surnameInitial: "L", departureAirport: "OSL" },
  ...{ destinationAirport: "HEL", firstFlight: null, lastFlight: null, bagOnOtherTag: 0 },
  ...{ failures: null, lastFailedAt: null },
};

describe("**Look-up (10).**", () => {
  const cases: readonly (readonly [string, Given, string])[] = [
    ["no lock is live", {}, "free"],
    [
      "… and the caller held the last one",
      { facts: { devices: [deviceOf({ endedPlanId: "plan", endedReason: "staff", endedAt: NOW })] } },
      "free, and why theirs ended",
    ],
    ["the caller holds the lock", { facts: locked(lockOf()) }, "locked, theirs"],
    ["an unproven claim of another person is live", { facts: locked(CLAIM) }, "free"],
    ["… for a caller without a booking", { by: STRANGER, facts: locked(CLAIM) }, "locked, a proof is due"],
    [
      "the caller's own claim is live",
      { facts: locked({ ...CLAIM, holderSub: "caller" }) },
      "locked, theirs",
    ],
    ["another booking's lock is live", { facts: locked(OTHERS) }, "locked, a proof is due"],
  ];
  it.each(cases)("%s", (_, given, expected) => {
    const facts = {
      ...factsOf({ plans: given.by?.plans ?? PASSENGER.plans, ...given.facts }),
      shown: [SHOWN],
    };
    const { value } = decideLookup(
      { ...requestOf(given), input: { uniqueDeviceId: TAG, forBaggageId: 1 } },
      facts,
    );
    const { locked: isLocked, sameTravelPlan, lockEnded } = value?.answer ?? {};
    const state = isLocked ? (sameTravelPlan ? "locked, theirs" : "locked, a proof is due") : "free";
    expect(lockEnded ? `${state}, and why theirs ended` : state).toBe(expected);
  });
  it("is what docs/rules.md shows", () => {
    expect(documented("**Look-up (10).**")).toEqual(
      cases.map(([when, , answer]) => `| ${when} | ${answer} |`),
    );
  });
});

table(
  "**Release (staff).**",
  [
    ["the tag is free", {}, "200"],
    ["a lock of their airline is live", { facts: locked(lockOf()) }, "200 · `released`"],
    [
      "another airline's lock is live, on a tag that signs",
      { facts: locked(OTHERS, { devices: [deviceOf({ tagSpkiHash: "k" })] }) },
      "`insufficient_scope`",
    ],
    [
      "… and the tag is in hand",
      {
        facts: locked(OTHERS, { devices: [deviceOf({ tagSpkiHash: "k", commits: 7 })] }),
        report: reportOf({ isPresence: true }),
      },
      "200 · `proven` · `released`",
    ],
    [
      "… on a tag without a key, and no statement has proven it",
      { facts: locked(OTHERS) },
      "200 · `released`",
    ],
    [
      "… an unproven claim",
      { facts: locked(CLAIM, { devices: [deviceOf({ tagSpkiHash: "k" })] }) },
      "200 · `released`",
    ],
    [
      "… and the account has released ten today",
      { facts: locked(CLAIM, spent("release:caller", 10)) },
      "`too_many_requests`",
    ],
  ],
  (given) =>
    decideRelease(
      {
        ...requestOf({ by: STAFF, ...given }),
        ...{ input: { uniqueDeviceId: TAG, reason: "r" }, prepared: { staffId: null } },
      },
      factsOf(given.facts),
    ),
);

table(
  "**Loss.**",
  [
    ["lost, by a holder of an entitled lock", { facts: locked(lockOf()) }, "200 · `lost`"],
    ["lost, by staff of its airline", { by: STAFF, facts: locked(lockOf()) }, "200 · `lost`"],
    [
      "lost, a claim, by staff of its airline",
      { by: STAFF, facts: locked({ ...CLAIM, airline: "SK" }) },
      "`not_lock_holder`",
    ],
    ["lost, by a claimant", { facts: locked({ ...CLAIM, holderSub: "caller" }) }, "`not_lock_holder`"],
    ["lost, by a delegate", { by: DELEGATE, facts: locked(lockOf()) }, "`not_lock_holder`"],
    ["lost, and it is already", { facts: locked(lockOf({ lostAt: NOW - DAY })) }, "200"],
    ["lost, a free tag", {}, "`not_lock_holder`"],
    ["found, by a holder", { facts: locked(lockOf({ lostAt: NOW })), lost: false }, "200 · `found`"],
    ["found, and it was not lost", { facts: locked(lockOf()), lost: false }, "200"],
    ["found, a free tag", { lost: false }, "200"],
  ] satisfies Case<{ readonly lost?: boolean }>[],
  (given: Given & { readonly lost?: boolean }) =>
    decideLoss(
      {
        ...requestOf(given),
        ...{ input: { uniqueDeviceId: TAG, lost: given.lost ?? true }, prepared: { staffId: null } },
      },
      factsOf({ plans: given.by?.plans ?? PASSENGER.plans, ...given.facts }),
    ),
);
