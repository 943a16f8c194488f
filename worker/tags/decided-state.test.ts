import { describe, expect, it } from "vitest";
import { fromHex } from "../../core/encoding/bytes.ts";
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
import { CLAIM, type Given, locked, OTHERS, requestOf } from "../test-support/decision-tables.ts";
import { decideAttachment } from "./attach.ts";
import type { AttachmentFacts } from "./attachment-facts.ts";
import { decideLookup } from "./lookup.ts";
import { decideLoss } from "./loss.ts";
import type { Decision } from "./operation.ts";
import { decideRelease } from "./release.ts";
import { decideUnlock } from "./unlock.ts";

/** What an attachment or a removal leaves of lock and tag (rules §5); decisions.test.ts has what it answers. */

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
const OWN_CLAIM = { ...CLAIM, planId: "plan", holderSub: "caller", airline: "SK" };

interface Attaching extends Given {
  readonly baggageId?: number;
  readonly device?: Parameters<typeof decideAttachment>[0]["input"]["device"];
}
const withPlans = ({ by, facts }: Given) => factsOf({ plans: by?.plans ?? PASSENGER.plans, ...facts });
const attached = (given: Attaching) =>
  decideAttachment(
    {
      ...requestOf(given),
      input: { device: given.device ?? { uniqueID: TAG }, baggageId: given.baggageId ?? 1 },
    },
    withPlans(given),
  );
const removed = (given: Given) =>
  decideUnlock({ ...requestOf(given), input: { uniqueDeviceId: TAG, forBaggageId: 1 } }, withPlans(given));
const lockIn = ({ after }: Decision) => after.locks[TAG];
const tagIn = ({ after }: Decision) => after.devices[TAG];

describe("the lock of an attachment", () => {
  it.each<[string, Attaching, object | undefined]>([
    ["of a passenger", {}, { entitled: true, holderSub: "caller", writerSub: "caller", lockedAt: NOW }],
    ["without a statement is unproven", {}, { commits: null, cti: null, lostAt: null, requestId: "request" }],
    ["ends with the booking", {}, { endsAt: NOW + 2 * DAY }],
    ["… or in a fortnight", { facts: { bags: [farBag()] } }, { endsAt: NOW + 14 * DAY }],
    ["of a stranger is a claim for a day", { by: STRANGER }, { entitled: false, endsAt: NOW + DAY }],
    ["a fortnight before the first flight", { facts: { bags: [farBag(14)] } }, { entitled: true }],
    ["… a day earlier is a claim", { facts: { bags: [farBag(15)] } }, { entitled: false }],
    ["of staff of the bag's airline", { by: STAFF }, { entitled: true, holderSub: "caller" }],
    ["of a delegate is the holder's", { by: DELEGATE }, { holderSub: "owner", writerSub: "caller" }],
    ["the same bag again", { facts: locked(lockOf()) }, lockOf()],
    [
      "a companion's move within the booking leaves the holder",
      { facts: locked(lockOf({ baggageId: 2, commits: 3, lostAt: 1 })) },
      { baggageId: 1, holderSub: "owner", writerSub: "caller", commits: null, lostAt: null },
    ],
    [
      "a move to another booking makes the mover the holder",
      { facts: locked({ ...OTHERS, holderSub: "caller" }) },
      { planId: "plan", holderSub: "caller", airline: "SK" },
    ],
    [
      "a claim of one's own is raised, and keeps its proof",
      { facts: locked({ ...OWN_CLAIM, commits: 3 }) },
      { entitled: true, holderSub: "caller", commits: 3 },
    ],
    [
      "a confirmed claim on one's own booking is taken over without its proof",
      { facts: locked({ ...CLAIM, planId: "plan", commits: 3 }) },
      { entitled: true, holderSub: "caller", commits: null },
    ],
    [
      "over one past its end is new",
      { facts: locked({ ...OTHERS, endsAt: NOW, lostAt: 1, commits: 7, cti: "00" }) },
      { holderSub: "caller", lostAt: null, commits: null, cti: null, lockedAt: NOW },
    ],
    ["a refused one leaves the other's", { facts: locked(OTHERS) }, OTHERS],
    ["… of a second booking of the airline, for staff", { by: STAFF, facts: locked(lockOf()) }, lockOf()],
    ["a token without a statement is stored", { report: took(60) }, { commits: null, cti: ctiOf(60) }],
    [
      "the higher token of the same bag stays",
      { facts: locked(lockOf({ cti: ctiOf(30) })), report: took(60) },
      { cti: ctiOf(30) },
    ],
  ])("%s", (_, given, expected) => {
    expect(lockIn(attached(given))).toMatchObject(expected ?? {});
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

  it("takes the place of the one that a full booking loses, but not where the tag has one for the bag", () => {
    const displaced = [{ ...lockOf({ deviceId: "old" }), device: deviceOf({ id: "old" }) }];
    expect(attached({ facts: { displaced } }).after.removed).toEqual(["old"]);
    expect(attached({ facts: locked(lockOf(), { displaced }) }).after.removed).toEqual([]);
    expect(attached({ by: STRANGER, facts: { displaced } }).after.removed).toEqual([]);
  });
});

describe("the number of a statement proves the lock", () => {
  it.each<[string, Attaching, number | null]>([
    ["by the caller's own write", { report: reportOf() }, 7],
    ["… of a week ago", { report: writtenAgo(WEEK / 1_000) }, 7],
    ["… and a second, not", { report: writtenAgo(WEEK / 1_000 + 1) }, null],
    ["… of the same bag again", { facts: locked(lockOf()), report: reportOf() }, 7],
    ["another person's write does not", { report: writtenAgo(60, { isCallers: false }) }, null],
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
    ["past its end", { facts: locked({ ...OTHERS, commits: 5, endsAt: NOW }) }, 5],
    [
      "of a claim that moves to another bag",
      { facts: locked({ ...OWN_CLAIM, commits: 5, baggageId: 2 }) },
      5,
    ],
    ["of another's claim that is taken over", { facts: locked({ ...CLAIM, planId: "plan", commits: 5 }) }, 5],
    ["of an entitled lock that moves", { facts: locked(lockOf({ commits: 5, baggageId: 2 })) }, 0],
    ["of a claim of one's own that is raised", { facts: locked({ ...OWN_CLAIM, commits: 5 }) }, 0],
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
    ["… at its time", { facts: locked(lockOf({ commits: 7 })) }, { endedAt: NOW, spentCommits: 7 }],
    ["… without a token", { facts: locked(lockOf({ cti: ctiOf(90) })) }, { endedCti: ctiOf(90) }],
    [
      "of a superseded claim",
      { facts: locked(CLAIM) },
      { endedReason: "superseded", endedHolderSub: "other" },
    ],
    [
      "of a claim within a day of an earlier end hides that from nobody",
      { facts: locked(CLAIM, { devices: [deviceOf({ endedReason: "staff", endedAt: NOW - DAY + 1 })] }) },
      { endedReason: "staff", endedAt: NOW - DAY + 1 },
    ],
    [
      "… a day later replaces it",
      { facts: locked(CLAIM, { devices: [deviceOf({ endedReason: "staff", endedAt: NOW - DAY })] }) },
      { endedReason: "superseded", endedAt: NOW },
    ],
    [
      "by its holder replaces it at once",
      { facts: locked(lockOf(), { devices: [deviceOf({ endedReason: "staff", endedAt: NOW })] }) },
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
    for (const none of [{ report: NO_REPORT }, closed, { facts: spent }]) expect(marksOf(none)).toEqual([]);
  });
});

describe("what an attachment stores of the tag", () => {
  const evidence = { deviceId: TAG, spki: new Uint8Array(1), spkiHash: "hash" };
  const certified = { report: { ...NO_REPORT, evidence } };
  const inUse = NOW + 400 * DAY;
  it.each<[string, Attaching, object]>([
    ["new, for a passenger", { facts: { devices: [] } }, { label: TAG, registeredAt: NOW, reviewAt: inUse }],
    ["… entitled", { facts: { devices: [] } }, { entitledAt: NOW, model: null, gattVersion: null }],
    [
      "new, for a claim",
      { by: STRANGER, facts: { devices: [] } },
      { entitledAt: null, reviewAt: NOW + WEEK },
    ],
    [
      "a claimed tag, for a passenger",
      { facts: { devices: [deviceOf({ reviewAt: 1 })] } },
      { entitledAt: NOW, reviewAt: inUse },
    ],
    [
      "an imported tag is never reviewed",
      { facts: { devices: [deviceOf({ reviewAt: null })] } },
      { entitledAt: NOW, reviewAt: null },
    ],
    [
      "its make, but not the phone's address",
      { device: { uniqueID: TAG, tagName: "name", phoneMac: "02:00:00:00:00:00" } },
      { model: { tagName: "name" } },
    ],
    [
      "no make of a refused one",
      { device: { uniqueID: TAG, tagName: "x" }, facts: locked(OTHERS) },
      { model: null },
    ],
    ["what its certificate proves", certified, { gattVersion: "2.1", tagSpkiHash: "hash", reviewAt: null }],
    [
      "nothing of another tag's certificate",
      { report: { ...NO_REPORT, evidence: { ...evidence, deviceId: "another" } } },
      { gattVersion: null, tagSpkiHash: null },
    ],
    [
      "nothing of a second key",
      { ...certified, facts: { devices: [deviceOf({ tagSpkiHash: "first" })] } },
      { gattVersion: null, tagSpkiHash: "first" },
    ],
    [
      "nothing of a certificate of who is refused",
      { ...certified, facts: locked(OTHERS) },
      { tagSpkiHash: null },
    ],
  ])("%s", (_, given, expected) => {
    expect(tagIn(attached(given))).toMatchObject(expected);
  });

  const MAC = "A4:C1:38:0B:6E:2F";
  const HARDWARE = "hw:a4c1380b6e2f";
  const PLAIN = { uniqueID: TAG, mac: MAC };
  it.each<[string, Attaching, Readonly<Record<string, string>>]>([
    ["a free address", { device: PLAIN }, { [HARDWARE]: TAG }],
    ["no text that is no address", { device: { uniqueID: TAG, mac: "any text", guid: `${MAC}:00` } }, {}],
    [
      "not one that is another tag's alias",
      { device: PLAIN, facts: { aliases: [{ alias: HARDWARE, deviceId: "other" }] } },
      { [HARDWARE]: "other" },
    ],
    [
      "not one that is a tag",
      { device: PLAIN, facts: { devices: [deviceOf(), deviceOf({ id: HARDWARE })] } },
      {},
    ],
    ["none of a proven tag", { device: PLAIN, facts: { devices: [deviceOf({ tagSpkiHash: "k" })] } }, {}],
    ["none once its certificate is there", { device: PLAIN, ...certified }, {}],
    ["none of who is refused", { device: PLAIN, facts: locked(OTHERS) }, {}],
  ])("of its further names: %s", (_, given, aliases) => {
    expect(attached(given).after.aliases).toEqual(aliases);
  });

  it("keeps one lock, whichever of its names the holder uses", () => {
    const given: Partial<AttachmentFacts> = {
      devices: [deviceOf({ id: HARDWARE })],
      locks: [lockOf({ deviceId: HARDWARE, baggageId: 2 })],
    };
    const decision = attached({ device: { uniqueID: MAC }, facts: given });
    expect(Object.keys(decision.after.locks)).toEqual([MAC.toLowerCase()]);
    expect(decision.after.audit.map(({ event }) => event)).toEqual(["replaced", "attached"]);
  });

  it("is not the tag whose id is sent as an address, but a lock on the address's tag counts", () => {
    const bare = attached({ device: { mac: TAG }, facts: locked(OTHERS) });
    expect(Object.keys(bare.after.locks)).toEqual([TAG, `hw:${TAG}`]);
    const trap = { aliases: [{ alias: HARDWARE, deviceId: TAG }], ...locked(OTHERS) };
    expect(attached({ device: { uniqueID: MAC }, facts: trap }).outcome).toBe("device_locked");
  });
});

describe("what an attempt counts", () => {
  const HOUR = 3_600_000;
  const counted = (given: Attaching) => attached(given).raises?.map(({ key }) => key);
  it.each<[string, Attaching, readonly string[]]>([
    ["an attachment, of who is entitled", {}, ["attach:caller"]],
    ["… and a claim of the network", { by: STRANGER }, ["attach:caller", "claim:network"]],
    ["… and a bag that does not exist", { facts: { bags: [] } }, ["attach:caller", "unknown-bag:caller"]],
    ["also where it is refused", { facts: locked(OTHERS) }, ["attach:caller"]],
    ["nothing of who has no limits", { by: STAFF }, []],
  ])("%s", (_, given, keys) => {
    expect(counted(given)).toEqual(keys);
  });

  it("is refused from the cap on, for as long as the counter runs", () => {
    const at = (key: string, count: number, given: Attaching = {}) => {
      const counters = [{ key, count, endsAt: NOW + HOUR }];
      const {
        outcome,
        retryAfter,
        raises = [],
      } = attached({ ...given, facts: { ...given.facts, counters } });
      return outcome === "too_many_requests" ? [retryAfter, raises] : outcome;
    };
    expect([at("attach:caller", 29), at("attach:caller", 30)]).toEqual(["ok", [3_600, []]]);
    expect([at("unknown-bag:caller", 19), at("unknown-bag:caller", 20)]).toEqual(["ok", [3_600, []]]);
    const claim = { by: STRANGER };
    expect([at("claim:network", 29, claim), at("claim:network", 30, claim)]).toEqual(["ok", [3_600, []]]);
    expect(at("attach:another", 30)).toBe("ok");
    expect(at("attach:caller", 30, { by: STAFF })).toBe("ok");
  });
});

describe("staff", () => {
  const release = (given: Given) =>
    decideRelease(
      {
        ...requestOf({ by: STAFF, ...given }),
        ...{ input: { uniqueDeviceId: TAG, reason: "left behind" }, prepared: { staffId: "ada" } },
      },
      factsOf(given.facts),
    );
  const rowsOf = ({ after }: Decision) =>
    after.audit.map(({ airline, sub, staffId, reason }) => ({ airline, sub, staffId, reason }));

  it("who release a lock of their airline are named with their reason", () => {
    const row = { airline: "SK", sub: "caller", staffId: "ada", reason: "left behind" };
    expect(rowsOf(release({ facts: locked(lockOf()) }))).toEqual([row]);
  });

  it("who release another airline's are named to their own; the other learns the airline and why", () => {
    const decision = release({ facts: locked(CLAIM) });
    expect(rowsOf(decision)).toEqual([
      { airline: "SK", sub: "caller", staffId: "ada", reason: "left behind" },
      { airline: "LH", sub: null, staffId: undefined, reason: "SK: left behind" },
    ]);
    expect(decision.raises).toMatchObject([{ key: "release:caller", cap: 10, endsAt: NOW + DAY }]);
    expect(tagIn(decision)).toMatchObject({ endedReason: "staff", endedHolderSub: "other" });
  });

  it("are told after ten a day when they may release another", () => {
    const counters = [{ key: "release:caller", count: 10, endsAt: NOW + 1_000 }];
    expect(release({ facts: locked(CLAIM, { counters }) })).toMatchObject({ retryAfter: 1 });
    expect(release({ facts: locked(lockOf(), { counters }) }).outcome).toBe("ok");
  });
});

describe("a lost tag", () => {
  const mark = (lost: boolean, given: Given) =>
    decideLoss(
      { ...requestOf(given), input: { uniqueDeviceId: TAG, lost }, prepared: { staffId: null } },
      withPlans(given),
    ).after;
  it("keeps the time of the first report, and loses a mute", () => {
    expect(mark(true, { facts: locked(lockOf({ mutedAt: 1 })) }).locks[TAG]).toEqual(lockOf({ lostAt: NOW }));
    const before = lockOf({ lostAt: NOW - DAY, mutedAt: 1 });
    expect(mark(true, { facts: locked(before) }).locks[TAG]).toEqual(before);
  });

  it("that is found is reunited, marked or not", () => {
    const found = mark(false, { facts: locked(lockOf({ lostAt: 1, foundAt: 1 })) });
    expect([found.locks[TAG], found.reunited]).toEqual([lockOf(), [TAG]]);
    expect(mark(false, { facts: locked(lockOf()) }).reunited).toEqual([TAG]);
    expect(mark(false, { facts: locked(OTHERS) }).reunited).toEqual([]);
  });
});

describe("what a holder sees of their lock", () => {
  const shown = {
    ...{ deviceId: TAG, locatorSealed: "", surnameInitial: "L", departureAirport: "OSL" },
    ...{ destinationAirport: "HEL", firstFlight: null, lastFlight: null, bagOnOtherTag: 0 },
    ...{ failures: null, lastFailedAt: null },
  };
  const OWN = { locked: true, sameTravelPlan: true, requiresCustodyProof: false };
  const CLAIMED = locked({ ...OWN_CLAIM, planId: "other" });
  it.each<[string, Given & { readonly forBaggageId?: number }, object]>([
    ["that it is theirs", { facts: locked(lockOf()) }, OWN],
    ["… and lost", { facts: locked(lockOf({ lostAt: 1 })) }, { ...OWN, lost: true }],
    [
      "its bag, for who will write another",
      { facts: locked(lockOf()), forBaggageId: 2 },
      { ...OWN, attachedBaggageId: 1 },
    ],
    ["no bag of a claim", { by: STRANGER, facts: CLAIMED, forBaggageId: 2 }, OWN],
  ])("%s", (_, { forBaggageId, ...given }, expected) => {
    const input = { uniqueDeviceId: TAG, ...(forBaggageId !== undefined && { forBaggageId }) };
    const { value } = decideLookup({ ...requestOf(given), input }, { ...withPlans(given), shown: [shown] });
    expect(value?.answer).toEqual(expected);
  });
});
