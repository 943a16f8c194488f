import { describe, expect, it } from "vitest";
import { fromHex } from "../../core/encoding/bytes.ts";
import rules from "../../docs/rules.md?raw";
import {
  attached,
  bagOf,
  CLAIM,
  callerOf,
  ctiOf,
  DELEGATE,
  DISPLACED,
  deviceOf,
  EARLIER,
  FULL,
  type Given,
  locked,
  lockOf,
  lookedUp,
  marked,
  NO_REPORT,
  NOW,
  OTHERS,
  onLock,
  onTag,
  released,
  removed,
  reportOf,
  STAFF,
  STRANGER,
  tokenFor,
} from "../test-support/decision-tables.ts";
import type { AttachmentFacts } from "./attachment-facts.ts";
import type { Decision } from "./decision.ts";

/**
 * The decision tables of docs/rules.md §5: each case is of a row, and the document shows the same rows. An answer is the outcome,
 * then the events that the audit log records, then `lastCommit`.
 */

type Case<More = object> = readonly [when: string, given: Given & More, answer: string];

function answerOf({ outcome, after, earlier, value }: Decision<unknown>): string {
  const events = after.audit.map(({ event }) => `\`${event}\``);
  const status = earlier !== undefined ? "the first answer" : outcome === "ok" ? "200" : `\`${outcome}\``;
  const { lastCommit } = (value ?? {}) as { readonly lastCommit?: string };
  return [status, ...new Set(events), ...(lastCommit === undefined ? [] : [lastCommit])].join(" ");
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

/** The rows that cases stand for: variants of one rule share a row. */
const rowsOf = (cases: readonly (readonly [when: string, given: unknown, answer: string])[]) => [
  ...new Set(cases.map(([when, , answer]) => `| ${when} | ${answer} |`)),
];

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
      expect(documented(title)).toEqual(rowsOf(cases));
    });
  });
}

/** The tag has committed more than the statement says. */
const BEHIND: Given = { facts: { devices: [deviceOf({ commits: 8 })] }, report: reportOf() };
/** A registry that does not have the tag. */
const CLOSED: Given = { by: callerOf({ isRegistryClosed: true }), facts: { devices: [] } };

const DAY = 86_400_000;
const removedSince = deviceOf({
  ...{ endedReason: "holder", endedHolderSub: "caller", endedAt: NOW, endedCti: ctiOf(60) },
});
const ANOTHERS_CLEAR = reportOf({ isByWriter: false }, { operation: "clear" });
const late = { ...NO_REPORT, cti: ctiOf(600) };
const spent = (key: string, count = 1_000) => ({ counters: [{ key, count, endsAt: NOW + 60_000 }] });

const NO_BAG = "the bag does not exist, its booking is past, or the client demands a loaded one";
const OTHER_BOOKING = "another booking's lock is live, or a delegate moves the lock to another booking";
const MOVED = "a holder has moved or removed the lock, or the free tag was cleared, since this write";
const COUNTED = "a counter of the caller is spent, or for a claim their network's";
const UNCHANGED = "the caller's lock has the bag already";
const HOLDS = "the caller holds the lock, or is a delegate";
const FREE = "the tag is free, perhaps new to an open registry";
const HELD_CLAIM = "… confirmed by a statement, or the caller has no booking";

table<object>(
  "**Attach (9).**",
  [
    ["the key was used before", { facts: EARLIER }, "the first answer"],
    [COUNTED, { facts: spent("attach:caller") }, "`too_many_requests`"],
    [COUNTED, { by: STRANGER, facts: spent("claim:network") }, "`too_many_requests`"],
    [
      "they hold as many tags as they may, and this would be one more",
      { facts: FULL },
      "`too_many_requests`",
    ],
    [NO_BAG, { facts: { bags: [] } }, "`baggage_not_found`"],
    [NO_BAG, { facts: { bags: [bagOf({ endsAt: NOW })] } }, "`baggage_not_found`"],
    [NO_BAG, { by: callerOf({ requiresEntitlement: true }) }, "`baggage_not_found`"],
    ["the tag has committed more than the statement says", BEHIND, "`stale_statement`"],
    [OTHER_BOOKING, onLock(OTHERS), "`device_locked`"],
    [
      OTHER_BOOKING,
      { by: DELEGATE, facts: locked(lockOf(), { bags: [bagOf({ planId: "other" })] }) },
      "`device_locked`",
    ],
    [MOVED, { facts: locked(lockOf({ baggageId: 2, cti: ctiOf(60) })), report: late }, "`stale_attachment`"],
    [MOVED, { facts: { devices: [removedSince] }, report: late }, "`stale_attachment`"],
    [MOVED, { facts: { clears: [{ cti: ctiOf(60), clearedAt: NOW }] }, report: late }, "`stale_attachment`"],
    ["a closed registry does not have the tag", CLOSED, "`device_not_found`"],
    [FREE, {}, "200 `attached`"],
    // The network's counter is of claims: this bag is the caller's.
    [FREE, { facts: spent("claim:network") }, "200 `attached`"],
    [FREE, { facts: { devices: [] } }, "200 `attached`"],
    ["an unproven claim of another person is live", onLock(CLAIM), "200 `claim_gave_way` `attached`"],
    [HELD_CLAIM, { by: STRANGER, facts: locked(CLAIM) }, "`device_locked`"],
    [HELD_CLAIM, onLock({ ...CLAIM, commits: 3 }), "`device_locked`"],
    [UNCHANGED, onLock(lockOf()), "200"],
    [UNCHANGED, onLock(lockOf(), FULL), "200"],
    [
      "… and the tag's statement proves it now",
      { facts: locked(lockOf({ holderSub: "caller" })), report: reportOf() },
      "200 `proven`",
    ],
    ["the caller's lock has another bag of the booking", onLock(lockOf({ baggageId: 2 })), "200 `attached`"],
    [
      "the caller's lock is of another booking",
      onLock(lockOf({ planId: "other", holderSub: "caller" })),
      "200 `replaced` `attached`",
    ],
    ["a lock has expired", onLock({ ...OTHERS, endsAt: NOW }), "200 `lock_ended` `attached`"],
    ["the booking has as many locks as it may have", { facts: DISPLACED }, "200 `displaced` `attached`"],
  ],
  attached,
);

table<object>(
  "**Unlock (12).**",
  [
    ["the key was used before", { facts: EARLIER }, "the first answer"],
    ["the tag has committed more than the statement says", BEHIND, "`stale_statement`"],
    ["the tag is free", {}, "200"],
    [HOLDS, onLock(lockOf()), "200 `cleared`"],
    [HOLDS, { by: DELEGATE, facts: locked(lockOf()) }, "200 `cleared`"],
    [
      "… a delegate, and the tag is lost",
      { by: DELEGATE, facts: locked(lockOf({ lostAt: NOW })) },
      "`not_lock_holder`",
    ],
    [
      "… and it is newer than the clear",
      { facts: locked(lockOf({ cti: ctiOf(60) })), report: late },
      "`stale_attachment`",
    ],
    ["an unproven claim of another person is live", onLock(CLAIM), "200 `claim_gave_way`"],
    ["another booking's lock is live", onLock(OTHERS), "`not_lock_holder`"],
    [
      "… and the tag's statement disproves it",
      { facts: locked({ ...OTHERS, commits: 3 }), report: ANOTHERS_CLEAR },
      "200 `voided`",
    ],
  ],
  removed,
);

const NO_LOCK = "no lock is live, or an unproven claim of another person";
const THEIRS = "the caller holds the lock or claim";
const LOCKED = "another booking's lock is live, or a claim for a caller without a booking";

describe("**Look-up (10).**", () => {
  const cases: readonly (readonly [string, Given, string])[] = [
    [NO_LOCK, {}, "free"],
    [NO_LOCK, onLock(CLAIM), "free"],
    [
      "… and the caller held the last one",
      onTag({ endedPlanId: "plan", endedReason: "staff", endedAt: NOW }),
      "free, and why theirs ended",
    ],
    [THEIRS, onLock(lockOf()), "locked, theirs"],
    [THEIRS, onLock({ ...CLAIM, holderSub: "caller" }), "locked, theirs"],
    [LOCKED, onLock(OTHERS), "locked, a proof is due"],
    [LOCKED, { by: STRANGER, facts: locked(CLAIM) }, "locked, a proof is due"],
  ];
  it.each(cases)("%s", (_, given, expected) => {
    const { locked: isLocked, sameTravelPlan, lockEnded } = lookedUp(given, 1) ?? {};
    const state = isLocked ? (sameTravelPlan ? "locked, theirs" : "locked, a proof is due") : "free";
    expect(lockEnded ? `${state}, and why theirs ended` : state).toBe(expected);
  });
  it("is what docs/rules.md shows", () => {
    expect(documented("**Look-up (10).**")).toEqual(rowsOf(cases));
  });
});

const SIGNS = { devices: [deviceOf({ tagSpkiHash: "k" })] };
const WEAK = "… an unproven claim, or unproven on a tag without a key";

table<object>(
  "**Release (staff).**",
  [
    ["the tag is free", {}, "200"],
    ["a lock of their airline is live", onLock(lockOf()), "200 `released`"],
    ["another airline's lock is live, on a tag that signs", onLock(OTHERS, SIGNS), "`insufficient_scope`"],
    [
      "… and the tag is in hand",
      {
        facts: locked(OTHERS, { devices: [deviceOf({ tagSpkiHash: "k", commits: 7 })] }),
        report: reportOf({ isPresence: true }),
      },
      "200 `proven` `released`",
    ],
    [WEAK, onLock(OTHERS), "200 `released`"],
    [WEAK, onLock(CLAIM, SIGNS), "200 `released`"],
    [
      "… and the account has released ten today",
      onLock(CLAIM, spent("release:caller", 10)),
      "`too_many_requests`",
    ],
  ],
  released,
);

const LOST = "lost, by a holder of an entitled lock, or staff of its airline";
const NOT_LOST = "lost, by a claimant or delegate; a claim; a free tag";
const SAME = "lost already; found, and not lost or free";

table(
  "**Loss.**",
  [
    [LOST, onLock(lockOf()), "200 `lost`"],
    [LOST, { by: STAFF, facts: locked(lockOf()) }, "200 `lost`"],
    [NOT_LOST, { by: STAFF, facts: locked({ ...CLAIM, airline: "SK" }) }, "`not_lock_holder`"],
    [NOT_LOST, onLock({ ...CLAIM, holderSub: "caller" }), "`not_lock_holder`"],
    [NOT_LOST, { by: DELEGATE, facts: locked(lockOf()) }, "`not_lock_holder`"],
    [SAME, onLock(lockOf({ lostAt: NOW - DAY })), "200"],
    [NOT_LOST, {}, "`not_lock_holder`"],
    ["found, by a holder", { facts: locked(lockOf({ lostAt: NOW })), lost: false }, "200 `found`"],
    [SAME, { facts: locked(lockOf()), lost: false }, "200"],
    [SAME, { lost: false }, "200"],
  ] satisfies Case<{ readonly lost?: boolean }>[],
  (given: Given & { readonly lost?: boolean }) => marked(given.lost ?? true, given),
);

const OTHERS_WRITE = reportOf({ isByCaller: false, isByWriter: false });
const writtenBefore = (secondsAgo: number) =>
  reportOf({ isByCaller: false, isByWriter: false }, { cti: fromHex(ctiOf(secondsAgo)) });
/** The tag's last lock ended; its `cti` was issued so long before. */
const ended = (secondsAgo: number): Partial<AttachmentFacts> => ({
  devices: [deviceOf({ endedAt: NOW, endedReason: "staff", endedCti: ctiOf(secondsAgo) })],
});

const MAY = "the tag is free, the caller's, or under another person's unproven claim";
const OWN = "the caller wrote the tag last, or a companion for the lock that both hold";
const OTHER = "another person did, and the tag is free or under their unproven claim";
const UNKNOWN =
  "… for staff; more than 14 days ago; before or for a lock that has ended; a clear; under a removed key; not by the newest statement";

table(
  "**Token (8).**",
  [
    ["the session's key was revoked", { revoked: [{ revokedAt: NOW }] }, "`unauthorized_token`"],
    ["a closed registry does not have the tag", CLOSED, "`device_not_found`"],
    [MAY, { by: STRANGER }, "200"],
    [MAY, onLock(lockOf()), "200"],
    [MAY, onLock(CLAIM), "200"],
    ["another booking's lock is live", onLock(OTHERS), "`custody_proof_required`"],
    ["… and its tag is lost", onLock({ ...OTHERS, lostAt: NOW }), "`device_lost`"],
    [
      "… and the tag in hand disproves it",
      { facts: locked(OTHERS), report: reportOf({ isByWriter: false, isPresence: true }) },
      "200 `voided` own",
    ],
    [OWN, { report: reportOf({ isByWriter: false }) }, "200 own"],
    [OWN, { facts: locked(lockOf()), report: reportOf({ isByCaller: false }) }, "200 own"],
    [OTHER, { report: OTHERS_WRITE }, "200 other"],
    [OTHER, { facts: locked(CLAIM), report: reportOf({ isByCaller: false }) }, "200 other"],
    [UNKNOWN, { by: STAFF, report: OTHERS_WRITE }, "200"],
    [UNKNOWN, { report: writtenBefore(15 * 86_400) }, "200"],
    [UNKNOWN, { facts: ended(30), report: OTHERS_WRITE }, "200"],
    [UNKNOWN, { facts: ended(60), report: OTHERS_WRITE }, "200"],
    [OTHER, { facts: ended(90), report: OTHERS_WRITE }, "200 other"],
    [UNKNOWN, { facts: { devices: [deviceOf({ spentCommits: 7 })] }, report: OTHERS_WRITE }, "200"],
    [UNKNOWN, { facts: locked({ ...OTHERS, endsAt: NOW - 1, cti: ctiOf(60) }), report: OTHERS_WRITE }, "200"],
    [UNKNOWN, { report: reportOf({ isByCaller: false, isByWriter: false, isKeyConfigured: false }) }, "200"],
    [UNKNOWN, { report: reportOf({ isByCaller: false, isByWriter: false }, { operation: "clear" }) }, "200"],
    [UNKNOWN, { facts: { devices: [deviceOf({ commits: 8 })] }, report: OTHERS_WRITE }, "200"],
  ] satisfies Case<{ readonly revoked?: readonly { readonly revokedAt: number }[] }>[],
  tokenFor,
);
