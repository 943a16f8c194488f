import { describe, expect, it } from "vitest";
import { fromHex } from "../../core/encoding/bytes.ts";
import {
  type Attaching,
  attached,
  bagOf,
  CLAIM,
  callerOf,
  ctiOf,
  DELEGATE,
  DISPLACED,
  deviceOf,
  FULL,
  type Given,
  LOADED,
  locked,
  lockIn,
  lockOf,
  NO_REPORT,
  NOW,
  OTHERS,
  onLock,
  PASSENGER,
  removed,
  reportOf,
  STAFF,
  STRANGER,
  TAG,
  tagIn,
  tokenFor,
} from "../test-support/decision-tables.ts";
import type { Device } from "./facts.ts";

/** What an attachment or a removal leaves of the lock (rules §5); decisions.test.ts has what it answers. */

const DAY = 86_400_000;
const WEEK = 7 * DAY;
/** Bag 1, whose booking lasts longer than any lock; its first flight is so many days ahead. */
const farBag = (daysAhead = 0) =>
  bagOf({
    endsAt: NOW + 40 * DAY,
    firstFlightDate: new Date(NOW + daysAhead * DAY).toISOString().slice(0, 10),
  });
/** What the caller reports without a statement: a token of so many seconds ago. */
const took = (secondsAgo: number) => ({ ...NO_REPORT, cti: ctiOf(secondsAgo) });
const writtenAgo = (seconds: number, more = {}) => reportOf(more, { cti: fromHex(ctiOf(seconds)) });
const OWN = lockOf({ holderSub: "caller" });
const OWN_CLAIM = { ...CLAIM, planId: "plan", holderSub: "caller", airline: "SK" };

describe("the lock of an attachment", () => {
  it.each<[string, Attaching, object]>([
    ["of a passenger", {}, { entitled: true, holderSub: "caller", writerSub: "caller", lockedAt: NOW }],
    ["without a statement is unproven", {}, { commits: null, cti: null, lostAt: null, requestId: "request" }],
    ["ends with the booking", {}, { endsAt: NOW + 2 * DAY }],
    ["… or in a fortnight", { facts: { bags: [farBag()] } }, { endsAt: NOW + 14 * DAY }],
    ["of a stranger is a claim for a day", { by: STRANGER }, { entitled: false, endsAt: NOW + DAY }],
    ["a fortnight before the first flight", { facts: { bags: [farBag(14)] } }, { entitled: true }],
    ["… a day earlier is a claim", { facts: { bags: [farBag(15)] } }, { entitled: false }],
    ["of staff of the bag's airline", { by: STAFF }, { entitled: true, holderSub: "caller" }],
    [
      "on a known tag of a closed registry",
      { by: callerOf({ ...PASSENGER, isRegistryClosed: true }) },
      { entitled: true },
    ],
    ["of a delegate is the holder's", { by: DELEGATE }, { holderSub: "owner", writerSub: "caller" }],
    ["the same bag again", onLock(lockOf()), lockOf()],
    [
      "a companion's move within the booking leaves the holder",
      onLock(lockOf({ baggageId: 2, commits: 3, lostAt: 1 })),
      { baggageId: 1, holderSub: "owner", writerSub: "caller", commits: null, lostAt: null },
    ],
    [
      "a move to another booking makes the mover the holder",
      {
        by: callerOf({ plans: [...PASSENGER.plans, { ...LOADED, planId: "other" }] }),
        facts: locked(OTHERS),
      },
      { planId: "plan", holderSub: "caller", airline: "SK" },
    ],
    ["one's own move ends the proof", onLock({ ...OWN, baggageId: 2, commits: 3 }), { commits: null }],
    [
      "a claim of one's own stays, also beside a booking",
      onLock({ ...CLAIM, holderSub: "caller" }, { bags: [bagOf({ planId: "other" })] }),
      { entitled: false, lockedAt: CLAIM.lockedAt },
    ],
    [
      "a claim of one's own is raised, and keeps its proof",
      onLock({ ...OWN_CLAIM, commits: 3 }),
      { entitled: true, holderSub: "caller", commits: 3, requestId: "request" },
    ],
    [
      "a confirmed claim on one's own booking is taken over without its proof",
      onLock({ ...CLAIM, planId: "plan", commits: 3 }),
      { entitled: true, holderSub: "caller", commits: null },
    ],
    [
      "over one past its end is new",
      onLock({ ...OTHERS, endsAt: NOW, lostAt: 1, commits: 7, cti: "00" }),
      { holderSub: "caller", lostAt: null, commits: null, cti: null, lockedAt: NOW },
    ],
    ["is another's still where it is refused", onLock(OTHERS), OTHERS],
    ["… to staff of the lock's airline, too", { by: STAFF, facts: locked(lockOf()) }, lockOf()],
    [
      "over another's, which the tag's statement disproves",
      { facts: locked({ ...OTHERS, commits: 3 }), report: reportOf({ isByWriter: false }) },
      { planId: "plan", holderSub: "caller", commits: 7 },
    ],
    [
      "… by a stranger, whom it entitles to nothing",
      {
        by: STRANGER,
        facts: locked({ ...OTHERS, commits: 3 }),
        report: reportOf({ isByCaller: false, isByWriter: false }),
      },
      { holderSub: "caller", entitled: false, commits: null },
    ],
    [
      "stays another's, whose statement a stranger sends again",
      {
        by: STRANGER,
        facts: locked({ ...OTHERS, commits: 7 }),
        report: reportOf({ isByCaller: false, isByWriter: false }),
      },
      { holderSub: "other", commits: 7 },
    ],
    ["a token without a statement is stored", { report: took(60) }, { commits: null, cti: ctiOf(60) }],
    ["… of a page that was offline for a day", { report: took(86_400) }, { cti: ctiOf(86_400) }],
    [
      "the higher token of the same bag stays",
      { facts: locked(lockOf({ cti: ctiOf(30) })), report: took(60) },
      { cti: ctiOf(30) },
    ],
  ])("%s", (_, given, expected) => {
    expect(lockIn(attached(given))).toMatchObject(expected);
  });

  it("that staff attached is theirs for 900 seconds, to the millisecond", () => {
    const by = callerOf({ ...STAFF, plans: [] });
    const madeAgo = (milliseconds: number) =>
      attached({
        by,
        facts: locked(lockOf({ holderSub: "caller", baggageId: 2, lockedAt: NOW - milliseconds })),
      });
    expect([madeAgo(899_999).outcome, madeAgo(900_000).outcome]).toEqual(["ok", "device_locked"]);
  });

  it("without a token is newer than one of more than two minutes before, to the second", () => {
    const late = (secondsAgo: number) =>
      attached({ facts: locked(lockOf({ baggageId: 2, lockedAt: NOW })), report: took(secondsAgo) }).outcome;
    expect([late(120), late(121)]).toEqual(["ok", "stale_attachment"]);
  });

  it.each<[string, Attaching, string]>([
    ["by who has a booking of their own", { by: callerOf({ hasOwnLivePlan: true }) }, "ok"],
    ["by who is entitled to the bag", { by: STAFF }, "ok"],
    ["by who has neither", { by: STRANGER }, "device_locked"],
  ])("supersedes an unproven claim %s", (_, given, outcome) => {
    expect(attached({ ...given, facts: locked(CLAIM) }).outcome).toBe(outcome);
  });

  it("supersedes it for the bag that a token is to write, too", () => {
    const ask = (input: object) => tokenFor({ by: STAFF, facts: locked(CLAIM) }, input).outcome;
    expect([ask({}), ask({ baggageId: 1 })]).toEqual(["custody_proof_required", "ok"]);
  });

  it("is not superseded by who names a bag of theirs whose booking is past", () => {
    const ask = (endsAt: number) =>
      removed({ by: callerOf({ plans: [LOADED] }), facts: locked(CLAIM, { bags: [bagOf({ endsAt })] }) });
    expect([ask(NOW + 1).outcome, ask(NOW).outcome]).toEqual(["ok", "not_lock_holder"]);
  });

  it("is not older than a token of the same second", () => {
    const facts = locked(lockOf({ baggageId: 2, cti: ctiOf(60) }));
    const late = (secondsAgo: number) => attached({ facts, report: took(secondsAgo) }).outcome;
    expect([late(60), late(61)]).toEqual(["ok", "stale_attachment"]);
    // What the lock has already is repeated, not late.
    const same = { facts: locked(lockOf({ cti: ctiOf(60) })), report: took(61) };
    expect(attached(same).outcome).toBe("ok");
  });

  it.each<[string, string, Partial<Device>]>([
    ["a holder's removal of a lock that was theirs", "stale_attachment", {}],
    ["a removal by staff", "ok", { endedReason: "staff" }],
    ["a removal of another booking's lock", "ok", { endedHolderSub: "other" }],
  ])("of an older token after %s: %s", (_, outcome, more) => {
    const ended = {
      endedReason: "holder",
      endedHolderSub: "caller",
      endedAt: NOW,
      endedCti: ctiOf(60),
    } as const;
    const facts = { devices: [deviceOf({ ...ended, ...more })] };
    expect(attached({ facts, report: took(600) }).outcome).toBe(outcome);
    // A lock that the caller holds by now is newer than any removal.
    expect(attached({ facts: { ...facts, ...locked(lockOf()) }, report: took(600) }).outcome).toBe("ok");
  });

  it("is refused for its room, then for its bag, then for another's lock", () => {
    const none = { bags: [], ...locked(OTHERS) };
    expect(attached({ facts: none }).outcome).toBe("baggage_not_found");
    expect(attached({ facts: { ...none, ...FULL } }).outcome).toBe("too_many_requests");
    expect(attached({ by: STAFF, facts: FULL }).outcome).toBe("ok");
    const claims = { by: STRANGER, facts: { room: [{ forLock: 1, forClaim: 0 }] } };
    expect(attached(claims).outcome).toBe("too_many_requests");
  });

  it("takes the place of the one that a full booking loses, but not where the tag has one for the bag", () => {
    expect(attached({ facts: DISPLACED }).after.removed).toEqual(["old"]);
    expect(attached(onLock(lockOf(), DISPLACED)).after.removed).toEqual([]);
    expect(attached({ by: STRANGER, facts: DISPLACED }).after.removed).toEqual([]);
  });
});

describe("the number of a statement proves the lock", () => {
  it.each<[string, Attaching, number | null]>([
    ["by the caller's own write", { report: reportOf() }, 7],
    ["… of a week ago", { report: writtenAgo(WEEK / 1_000) }, 7],
    ["… and a second, not", { report: writtenAgo(WEEK / 1_000 + 1) }, null],
    ["… of the same bag again", { facts: locked(lockOf()), report: reportOf() }, 7],
    ["another person's write does not", { report: writtenAgo(60, { isByCaller: false }) }, null],
    [
      "… but their live claim, from any caller with the tag in hand",
      { by: STRANGER, facts: locked(CLAIM), report: reportOf({ isByCaller: false, isPresence: true }) },
      7,
    ],
    ["a clear does not", { report: reportOf({}, { operation: "clear" }) }, null],
    [
      "a spent number does not",
      { facts: { devices: [deviceOf({ spentCommits: 7 })] }, report: reportOf() },
      null,
    ],
  ])("%s", (_, given, commits) => {
    const decision = attached(given);
    expect([lockIn(decision)?.commits, tagIn(decision)?.commits]).toEqual([commits, 7]);
  });

  it.each<[string, Attaching, number]>([
    ["past its end", onLock({ ...OTHERS, commits: 5, endsAt: NOW }), 5],
    ["of a claim that moves to another bag", onLock({ ...OWN_CLAIM, commits: 5, baggageId: 2 }), 5],
    ["of another's claim that is taken over", onLock({ ...CLAIM, planId: "plan", commits: 5 }), 5],
    ["of an entitled lock that moves", onLock(lockOf({ commits: 5, baggageId: 2 })), 0],
    ["of a claim of one's own that is raised", onLock({ ...OWN_CLAIM, commits: 5 }), 0],
  ])("once: a lock %s has spent it or not", (_, given, spent) => {
    expect(tagIn(attached(given))?.spentCommits).toBe(spent);
  });
});

describe("the end of a lock", () => {
  it.each<[string, Given, object]>([
    [
      "by its holder, with the token of the clear",
      { facts: locked(lockOf({ commits: 7, cti: ctiOf(90) })), report: took(60) },
      { endedReason: "holder", endedHolderSub: "owner", endedPlanId: "plan", endedCti: ctiOf(60) },
    ],
    [
      "… and not by the statement of their own clear",
      { facts: locked(lockOf({ commits: 3 })), report: reportOf({}, { operation: "clear" }) },
      { endedReason: "holder", commits: 7 },
    ],
    ["… at its time", onLock(lockOf({ commits: 7 })), { endedAt: NOW, spentCommits: 7 }],
    ["… without a token", onLock(lockOf({ cti: ctiOf(90) })), { endedCti: ctiOf(90) }],
    [
      "of another's, which the tag's statement disproves",
      {
        facts: locked({ ...OTHERS, commits: 3 }),
        report: reportOf({ isByWriter: false }, { operation: "clear" }),
      },
      { endedReason: "voided", endedHolderSub: "other" },
    ],
    ["of a superseded claim", onLock(CLAIM), { endedReason: "superseded", endedHolderSub: "other" }],
    [
      "of a claim within a day of an earlier end does not hide that",
      onLock(CLAIM, { devices: [deviceOf({ endedReason: "staff", endedAt: NOW - DAY + 1 })] }),
      { endedReason: "staff", endedAt: NOW - DAY + 1 },
    ],
    [
      "… a day later replaces it",
      onLock(CLAIM, { devices: [deviceOf({ endedReason: "staff", endedAt: NOW - DAY })] }),
      { endedReason: "superseded", endedAt: NOW },
    ],
    [
      "by its holder replaces it at once",
      onLock(lockOf(), { devices: [deviceOf({ endedReason: "staff", endedAt: NOW })] }),
      { endedReason: "holder" },
    ],
  ])("%s", (_, given, expected) => {
    const { after } = removed(given);
    expect(after.devices[TAG]).toMatchObject(expected);
    expect([after.locks, after.removed, after.clearedGuesses]).toEqual([{}, [TAG], [TAG]]);
  });

  it("that was not found leaves a mark, for a week or until the booking's end", () => {
    const mark = { deviceId: TAG, cti: ctiOf(60), clearedAt: NOW };
    const marksOf = (given: Given) => removed({ report: took(60), ...given }).after.clears;
    expect(marksOf({})).toEqual([{ ...mark, sub: "caller", planId: "plan", endsAt: NOW + 2 * DAY }]);
    expect(marksOf({ by: DELEGATE })).toMatchObject([{ sub: "owner", planId: "plan" }]);
    const week = NOW + WEEK;
    expect(marksOf({ facts: { bags: [farBag()] } })).toMatchObject([{ planId: "plan", endsAt: week }]);
    expect(marksOf({ by: STRANGER })).toEqual([{ ...mark, sub: "caller", planId: null, endsAt: week }]);
    const closed = { by: callerOf({ isRegistryClosed: true }), facts: { devices: [] } };
    const spent = { counters: [{ key: "attach:caller", count: 30, endsAt: NOW + 1 }] };
    const found = onLock(lockOf());
    for (const none of [{ report: NO_REPORT }, closed, { facts: spent }, found])
      expect(marksOf(none)).toEqual([]);
  });
});
