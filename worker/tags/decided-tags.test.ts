import { describe, expect, it } from "vitest";
import {
  type Attaching,
  attached,
  CLAIM,
  callerOf,
  DELEGATE,
  deviceOf,
  EARLIER,
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
  TAG,
  tagIn,
  tokenFor,
} from "../test-support/decision-tables.ts";
import type { AttachmentFacts } from "./attachment-facts.ts";
import type { Decision } from "./decision.ts";
import type { Device } from "./facts.ts";

/** What decisions store of the tag, count, record and show (rules §5); decisions.test.ts has what they answer. */

const DAY = 86_400_000;
const WEEK = 7 * DAY;

const evidence = { deviceId: TAG, key: "key", spkiHash: "hash" };
const certified = { report: { ...NO_REPORT, evidence } };
const anothers = { report: { ...NO_REPORT, evidence: { ...evidence, deviceId: "another" } } };
const MAC = "A4:C1:38:0B:6E:2F";
const HARDWARE = "hw:a4c1380b6e2f";

describe("what an attachment stores of the tag", () => {
  const inUse = NOW + 400 * DAY;
  it.each<[string, Attaching, object]>([
    ["new, for a passenger", { facts: { devices: [] } }, { label: "", registeredAt: NOW, reviewAt: inUse }],
    ["… entitled", { facts: { devices: [] } }, { entitledAt: NOW, model: null, gattVersion: null }],
    [
      "new, for a claim",
      { by: STRANGER, facts: { devices: [] } },
      { entitledAt: null, reviewAt: NOW + WEEK },
    ],
    ["a claimed tag, for a passenger", onTag({ reviewAt: 1 }), { entitledAt: NOW, reviewAt: inUse }],
    ["an imported tag is never reviewed", onTag({ reviewAt: null }), { entitledAt: null, reviewAt: null }],
    [
      "no make of a refused one",
      { device: { uniqueID: TAG, tagName: "x" }, facts: locked(OTHERS) },
      { model: null },
    ],
    ["what its certificate proves", certified, { gattVersion: "2.1", tagKey: "key", reviewAt: null }],
    ["nothing of another tag's certificate", anothers, { gattVersion: null, tagKey: null }],
    [
      "nothing of a second key",
      { ...certified, facts: { devices: [deviceOf({ tagSpkiHash: "first" })] } },
      { gattVersion: null, tagSpkiHash: "first" },
    ],
    ["nothing of a certificate of who is refused", { ...certified, facts: locked(OTHERS) }, { tagKey: null }],
  ])("%s", (_, given, expected) => {
    expect(tagIn(attached(given))).toMatchObject(expected);
  });

  it("its make as it was sent last, but not the phone's address", () => {
    const make = { ccid: "8931", tagName: "tag", bagTagModel: "BT-2", batteryPercentage: 80 };
    const whole = { ...make, firmwareVersion: "1.2", serialNumber: "7" };
    const makeAfter = (sent: object, before: Device["model"] = null) => {
      const device = { uniqueID: TAG, phoneMac: "02:00:00:00:00:00", ...sent };
      return tagIn(attached({ device, facts: { devices: [deviceOf({ model: before })] } }))?.model;
    };
    expect([makeAfter(whole), makeAfter({}, whole)]).toEqual([whole, whole]);
    expect(makeAfter({ tagName: "another" }, whole)).toEqual({ tagName: "another" });
  });

  it("nothing where it is new and the bag does not exist", () => {
    expect(attached({ facts: { devices: [], bags: [] } }).after.devices).toEqual({});
  });

  it.each([
    ["as it was sent first", " New-Tag", " New-Tag"],
    ["not, where it is the id", "new-tag", ""],
  ])("its name %s", (_, uniqueID, label) => {
    const { after } = attached({ device: { uniqueID } });
    expect(after.devices["new-tag"]).toMatchObject({ id: "new-tag", label });
  });

  it("superseded: why the claim ended; nothing of the tag of another's certificate", () => {
    expect(tagIn(attached(onLock(CLAIM)))).toMatchObject({ endedReason: "superseded" });
    expect(Object.keys(attached(anothers).after.devices)).toEqual([TAG]);
  });

  const PLAIN = { uniqueID: TAG, mac: MAC };
  const SPENT = [{ key: "attach:caller", count: 30, endsAt: NOW + 1 }];
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
    ["none of who is over a limit", { device: PLAIN, facts: { counters: SPENT } }, {}],
    ["none of a request that was sent before", { device: PLAIN, facts: EARLIER }, {}],
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
    const free = attached({ device: { uniqueID: MAC }, facts: { ...trap, locks: [] } });
    expect(Object.keys(free.after.locks)).toEqual([MAC.toLowerCase()]);
  });
});

describe("a token's version, and what its request stores of the tag", () => {
  const proven = { gattVersion: "2.1", tagKey: "key", label: "" } as const;
  const plain = { gattVersion: null, tagKey: null } as const;
  const address = { aliases: [{ alias: HARDWARE, deviceId: TAG }] };
  it.each<[string, Given & { readonly name?: string }, string | undefined, object | undefined]>([
    ["is 2.1 of a tag that is proven", onTag(proven), "2.1", proven],
    ["is the caller's of another", {}, "2.0", plain],
    ["is proven by the tag's certificate", certified, "2.1", proven],
    ["… whichever of its names comes with it", { ...certified, facts: address, name: MAC }, "2.1", proven],
    ["… of a new tag, too", { ...certified, facts: { devices: [] } }, "2.1", proven],
    ["is not proven by another tag's", anothers, "2.0", plain],
    [
      "… by another key's",
      { ...certified, facts: { devices: [deviceOf({ tagSpkiHash: "first" })] } },
      "2.0",
      { gattVersion: null, tagSpkiHash: "first" },
    ],
    ["… for a caller whom the lock refuses", { ...certified, facts: locked(OTHERS) }, undefined, plain],
    [
      "… for a tag outside a closed registry",
      { ...certified, by: callerOf({ isRegistryClosed: true }), facts: { devices: [] } },
      undefined,
      undefined,
    ],
    ["of a new tag registers none", { facts: { devices: [] } }, "2.0", undefined],
  ])("%s", (_, { name = TAG, ...given }, version, stored) => {
    const { value, after } = tokenFor(given, { uniqueDeviceId: name, gattVersion: "2.0" });
    expect(value?.version).toBe(version);
    if (stored === undefined) expect(after.devices).toEqual({});
    else expect(after.devices[TAG]).toMatchObject(stored);
  });
});

describe("what an attempt counts", () => {
  const HOUR = 3_600_000;
  const counted = (given: Attaching) => (attached(given).raises ?? []).map(({ key }) => key);
  it.each<[string, Attaching, readonly string[]]>([
    ["an attachment, of who is entitled", {}, ["attach:caller"]],
    ["… and a claim of the network", { by: STRANGER }, ["attach:caller", "claim:network"]],
    ["… and a bag that does not exist", { facts: { bags: [] } }, ["attach:caller", "unknown-bag:caller"]],
    ["also where it is refused", onLock(OTHERS), ["attach:caller"]],
    ["nothing of who has no limits", { by: STAFF }, []],
    ["nothing where it was sent before", { facts: EARLIER }, []],
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
  const release = (given: Given) => released(given, "ada");
  const rowsOf = ({ after }: Decision) =>
    after.audit.map(({ airline, sub, staffId, reason }) => ({ airline, sub, staffId, reason }));

  it("who release a lock of their airline are named with their reason", () => {
    const row = { airline: "SK", sub: "caller", staffId: "ada", reason: "left behind" };
    expect(rowsOf(release(onLock(lockOf())))).toEqual([row]);
  });

  it("who release another airline's are named to their own; the other learns the airline and why", () => {
    const decision = release(onLock(CLAIM));
    expect(rowsOf(decision)).toEqual([
      { airline: "SK", sub: "caller", staffId: "ada", reason: "left behind" },
      { airline: "LH", sub: null, staffId: undefined, reason: "SK: left behind" },
    ]);
    expect(decision.raises).toMatchObject([{ key: "release:caller", cap: 10, endsAt: NOW + DAY }]);
    expect(tagIn(decision)).toMatchObject({ endedReason: "staff", endedHolderSub: "other" });
  });

  it("need another airline's tag in hand where it can sign: its statement alone is not enough", () => {
    const facts = locked(OTHERS, { devices: [deviceOf({ tagSpkiHash: "k", commits: 7 })] });
    const asked = (isPresence: boolean) => release({ facts, report: reportOf({ isPresence }) }).outcome;
    expect([asked(false), asked(true)]).toEqual(["insufficient_scope", "ok"]);
  });

  it("learn after ten a day when they may release another", () => {
    const counters = [{ key: "release:caller", count: 10, endsAt: NOW + 1_000 }];
    expect(release(onLock(CLAIM, { counters }))).toMatchObject({ retryAfter: 1 });
    expect(release(onLock(lockOf(), { counters })).outcome).toBe("ok");
  });
});

describe("a lost tag", () => {
  const mark = (lost: boolean, given: Given) => marked(lost, given).after;
  it("keeps the time of the first report, and loses a mute", () => {
    expect(mark(true, onLock(lockOf({ mutedAt: 1 }))).locks[TAG]).toEqual(lockOf({ lostAt: NOW }));
    const before = lockOf({ lostAt: NOW - DAY, mutedAt: 1 });
    expect(mark(true, onLock(before)).locks[TAG]).toEqual(before);
  });

  it("is not marked by staff of another airline, nor by a stranger, lost or found", () => {
    for (const [by, lost] of [
      [STAFF, true] as const,
      [STRANGER, true] as const,
      [STRANGER, false] as const,
    ]) {
      const { outcome, after } = marked(lost, { by, facts: locked(OTHERS) });
      expect([outcome, after.locks[TAG], after.audit]).toEqual(["not_lock_holder", OTHERS, []]);
    }
  });

  it("is no delegate's to mark found, to move, to unlock or to write", () => {
    const given = { by: DELEGATE, facts: locked(lockOf({ lostAt: 1, baggageId: 2 })) };
    const decisions = [marked(false, given), attached(given), removed(given), tokenFor(given)];
    const refusals = ["not_lock_holder", "device_locked", "not_lock_holder", "device_lost"];
    expect(decisions.map(({ outcome }) => outcome)).toEqual(refusals);
    for (const { before, after } of decisions) expect(after).toBe(before);
  });

  it("that is found is reunited, marked or not", () => {
    const found = mark(false, onLock(lockOf({ lostAt: 1, foundAt: 1 })));
    expect([found.locks[TAG], found.reunited]).toEqual([lockOf(), [TAG]]);
    expect(mark(false, onLock(lockOf())).reunited).toEqual([TAG]);
    expect(mark(false, onLock(OTHERS)).reunited).toEqual([]);
  });
});

describe("what a look-up answers to a holder", () => {
  const OWN = { locked: true, sameTravelPlan: true, requiresCustodyProof: false };
  const FREE = { locked: false, sameTravelPlan: false, requiresCustodyProof: false };
  const CLAIMED = locked({ ...CLAIM, holderSub: "caller" });
  it.each<[string, Given & { readonly forBaggageId?: number }, object]>([
    ["that it is theirs", onLock(lockOf()), OWN],
    ["… and lost", onLock(lockOf({ lostAt: 1 })), { ...OWN, lost: true }],
    [
      "its bag, for who will write another",
      { facts: locked(lockOf()), forBaggageId: 2 },
      { ...OWN, attachedBaggageId: 1 },
    ],
    ["no bag of a claim", { by: STRANGER, facts: CLAIMED, forBaggageId: 2 }, OWN],
    ["nothing of a free tag", {}, FREE],
    [
      "why their last one ended, and when",
      onTag({ endedReason: "proof", endedHolderSub: "caller", endedAt: NOW }),
      { ...FREE, lockEnded: { reason: "proof", at: new Date(NOW).toISOString() } },
    ],
  ])("%s", (_, { forBaggageId, ...given }, expected) => {
    expect(lookedUp(given, forBaggageId)).toEqual(expected);
  });
});
