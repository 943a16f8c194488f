import { describe, expect, it } from "vitest";
import {
  attached,
  bagOf,
  type Case,
  CLAIM,
  callerOf,
  ctiOf,
  DELEGATE,
  deviceOf,
  documented,
  type Given,
  locked,
  lockOf,
  lookedUp,
  marked,
  NO_REPORT,
  NOW,
  OTHERS,
  released,
  removed,
  reportOf,
  STAFF,
  STRANGER,
  table,
} from "../test-support/decision-tables.ts";

/** The decision tables of docs/rules.md §5, literally; token-decisions.test.ts has the one of endpoint 8. */

const DAY = 86_400_000;
const late = { ...NO_REPORT, cti: ctiOf(600) };
const spent = (key: string, count = 1_000) => ({ counters: [{ key, count, endsAt: NOW + 60_000 }] });

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
      "… and the lock has the bag already",
      { facts: { room: [{ forLock: 0, forClaim: 0 }], locks: [lockOf()] } },
      "200",
    ],
    ["the bag does not exist", { facts: { bags: [] } }, "`baggage_not_found`"],
    ["its booking is past", { facts: { bags: [bagOf({ endsAt: NOW })] } }, "`baggage_not_found`"],
    [
      "the client demands a loaded booking",
      { by: callerOf({ requiresEntitlement: true }) },
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
    ["a lock has expired", { facts: locked({ ...OTHERS, endsAt: NOW }) }, "200 · `lock_ended` · `attached`"],
    [
      "the booking has as many locks as it may have",
      { facts: { displaced: [{ ...lockOf({ deviceId: "old" }), device: deviceOf({ id: "old" }) }] } },
      "200 · `displaced` · `attached`",
    ],
  ],
  attached,
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
        report: reportOf({ isByWriter: false }, { operation: "clear" }),
      },
      "200 · `voided`",
    ],
  ],
  removed,
);

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
    const { locked: isLocked, sameTravelPlan, lockEnded } = lookedUp(given, 1) ?? {};
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
  released,
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
    ["lost, and it is lost already", { facts: locked(lockOf({ lostAt: NOW - DAY })) }, "200"],
    ["lost, a free tag", {}, "`not_lock_holder`"],
    ["found, by a holder", { facts: locked(lockOf({ lostAt: NOW })), lost: false }, "200 · `found`"],
    ["found, and it was not lost", { facts: locked(lockOf()), lost: false }, "200"],
    ["found, a free tag", { lost: false }, "200"],
  ] satisfies Case<{ readonly lost?: boolean }>[],
  (given: Given & { readonly lost?: boolean }) => marked(given.lost ?? true, given),
);
