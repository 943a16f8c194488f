import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, deviceTicketLocks, foundReports, guessCounters, locationLinks } from "../../db/schema.ts";
import {
  ADA,
  guestSession,
  staffSession,
  startWithTwoGuests,
  type TestSession,
} from "../test-support/logins.ts";
import {
  type Answer,
  expectError,
  scheduledRun,
  startClean,
  type TestService,
} from "../test-support/service.ts";

/** A bag that is found, and where it is (rules §5, "Found"): what each sees of it, and attacks. */

const TAG = "ebt-21-0001";
const LINK = "https://share.apple.com/item/4pY1xQz";
const DAY = 86_400;

let service: TestService;
let guest: TestSession;
let stranger: TestSession;
let staff: TestSession;
beforeEach(async () => {
  ({ service, guest, stranger } = await startWithTwoGuests());
  staff = await staffSession(service);
});

const clock = () => new Date(service.now()).toISOString();
const from = (address: string) => ({ "CF-Connecting-IP": address });
const attach = (session = guest, baggageId = 1, uniqueID = TAG) =>
  session.call("deviceAttachment", { device: { uniqueID }, baggageId });
const report = (sent: object = { airport: "OSL", desk: "4" }, id = TAG, address = "192.0.2.1") =>
  service.post("/v2/found-reports", { uniqueDeviceId: id, ...sent }, from(address));
const trace = (session = guest) => session.call("bagTrace", { uniqueDeviceId: TAG });
const change = (fields: object, session = guest) =>
  session.call("bagTraceChange", { uniqueDeviceId: TAG, ...fields });
const traced = (fields: object = {}, session = staff) => session.call("tracedBags", fields);
const open = (session = staff) => session.call("locationLink", { uniqueDeviceId: TAG });
const lose = (lost: boolean, session = guest) => session.call("deviceLoss", { uniqueDeviceId: TAG, lost });
const stored = async () => [await service.db.$count(foundReports), await service.db.$count(locationLinks)];
const events = async () => (await service.db.select().from(auditLog)).map(({ event }) => event);
const words = ({ body }: Answer) => body.reports.map(({ words }: { words: string }) => words);

describe("a found report", () => {
  it("is shown to the holder, to staff of the airline and to no other caller", async () => {
    await attach();
    const position = { latitude: 60.2, longitude: 11.1, accuracyMetres: 12.5 };
    const sent = { airport: "OSL", desk: "4", words: "<script>alert(1)</script> \u202e", position };
    expect((await report(sent)).body).toEqual({ received: true });
    const at = clock();
    const expected = { uniqueDeviceId: TAG, muted: false, reports: [{ at, ...sent }], more: 0 };
    expect((await trace()).body).toEqual(expected);
    const [bag] = (await traced({ uniqueDeviceId: TAG })).body.bags;
    expect(bag).toMatchObject({ foundAt: at, reportCount: 1, licencePlate: "0117123456", reports: [sent] });
    expect((await guest.call("journeyFromRecordLocator", ADA)).body.baggage[0]).toMatchObject({
      foundAt: at,
    });
    expectError(await trace(stranger), "not_lock_holder");
    expectError(await trace(staff), "not_lock_holder");
    expectError(await traced({}, guest), "insufficient_scope");
    expectError(await open(guest), "insufficient_scope");
    expect((await stranger.call("ebtLookup", { uniqueDeviceId: TAG })).text).not.toMatch(/found/i);
  });

  it("is an event of the airline, without words and place; a developer may make many", async () => {
    await attach();
    for (let i = 0; i < 7; i++)
      expect((await report({ words: "under the stairs", airport: "ARN" })).status).toBe(200);
    const { body, text } = await staff.call("events", {});
    expect(body.events.at(-1)).toMatchObject({ event: "found_reported", airline: "SK", baggageId: 1 });
    expect(text).not.toMatch(/stairs|"ARN"/);
  });

  it("is sealed in its own row: a value of another row does not open there", async () => {
    await attach();
    await attach(guest, 2, "ebt-21-0002");
    await report({ words: "under the stairs" });
    await report({ words: "on the roof" }, "ebt-21-0002");
    const rows = await service.db.select().from(foundReports);
    expect(JSON.stringify(rows)).not.toMatch(/stairs|roof/);
    const [first, second] = rows;
    await service.db.update(foundReports).set({ saidSealed: second?.saidSealed ?? "" });
    expect([first?.source === second?.source, (await trace()).status]).toEqual([false, 500]);
  });
});

describe("a reader of reports", () => {
  it("learns nothing from answer, headers or work: known, unknown, unlocked, claimed and locked tags are alike", async () => {
    await attach();
    await attach(stranger, 3, "ebt-21-0002");
    const seen = [];
    for (const id of [TAG, TAG.toUpperCase(), "ebt-21-0002", "ebt-21-0003", "never-seen", TAG.slice(0, -1)]) {
      const { status, text, headers } = await report({ desk: "4" }, id);
      const { calls, statements } = service.log.at(-1) as Record<string, unknown>;
      const names = [...headers.keys()].sort();
      seen.push(JSON.stringify([status, text, names, headers.has("Server-Timing"), calls, statements]));
    }
    expect(new Set(seen).size).toBe(1);
    const rows = await service.db.select().from(foundReports);
    expect(rows.map(({ deviceId, source }) => deviceId + source.length)).toEqual([`${TAG}10`, `${TAG}10`]);
  });

  it("reaches a tag by its id alone, by no other name of it", async () => {
    await guest.call("deviceAttachment", {
      device: { uniqueID: TAG, mac: "00:11:22:33:44:55" },
      baggageId: 1,
    });
    await report({ desk: "4" }, "00:11:22:33:44:55");
    expect(await stored()).toEqual([0, 0]);
  });

  it("never reaches a tag stored by its MAC alone, however it is spelt", async () => {
    await guest.call("deviceAttachment", { device: { mac: "00:11:22:33:44:55" }, baggageId: 1 });
    for (const id of ["001122334455", " HW:001122334455"]) await report({ desk: "4" }, id);
    expect(await stored()).toEqual([0, 0]);
  });
});

describe("a caller without a right to see it", () => {
  it("is a claimant, whose tag gets no reports", async () => {
    await attach(stranger, 3);
    await report();
    expectError(await trace(stranger), "not_lock_holder");
    expectError(await change({ locationLink: LINK }, stranger), "not_lock_holder");
    expect([await stored(), await events()]).toEqual([[0, 0], ["attached"]]);
  });

  it("is not the next attacher after the lock has ended, swept or not", async () => {
    await attach();
    await report({ words: "for Ada" });
    await change({ locationLink: LINK });
    await service.db.update(deviceTicketLocks).set({ endsAt: service.now() });
    expectError(await trace(), "not_lock_holder");
    await stranger.call("journeyFromRecordLocator", { recordLocator: "OB1NKE", surname: "OBRIEN" });
    await attach(stranger, 4);
    expect((await trace(stranger)).body).toEqual({ uniqueDeviceId: TAG, muted: false, reports: [], more: 0 });
    expectError(await open(), "device_not_found");
    expect((await traced({ uniqueDeviceId: TAG })).body.bags).toEqual([]);
  });

  it("is staff of another airline: they list nothing and open nothing", async () => {
    await attach(guest, 3);
    await report();
    await change({ locationLink: LINK });
    expect((await traced()).body).toEqual({ bags: [] });
    expect((await traced({ uniqueDeviceId: TAG })).body).toEqual({ bags: [] });
    expectError(await open(), "device_not_found");
    expect(await events()).not.toContain("location_opened");
  });
});

describe("with the lock", () => {
  it.each([
    ["an unlock", () => guest.call("ebtUnlock", { uniqueDeviceId: TAG })],
    ["a custody proof", () => stranger.call("ebtCustodyProof", { uniqueDeviceId: TAG, ...ADA })],
    ["a release by staff", () => staff.call("lockRelease", { uniqueDeviceId: TAG, reason: "found" })],
    ["being reunited", () => lose(false)],
    ["being reunited, by staff", () => lose(false, staff)],
  ])("all rows are deleted by %s", async (_, end) => {
    await attach();
    await report();
    await change({ locationLink: LINK });
    expect(await stored()).toEqual([1, 1]);
    expect((await end()).status).toBe(200);
    expect([await stored(), (await traced()).body.bags]).toEqual([[0, 0], []]);
  });

  it("all rows are deleted when it expires", async () => {
    await attach();
    await report();
    await change({ locationLink: LINK });
    await service.db.update(deviceTicketLocks).set({ endsAt: service.now() - 1 });
    await scheduledRun(service.now(), {});
    expect(await stored()).toEqual([0, 0]);
  });

  it("reunited is an event, lost before or not", async () => {
    await attach();
    await report();
    await lose(false);
    await lose(false);
    expect(await events()).toEqual(["attached", "found_reported", "found"]);
  });
});

describe("a flood", () => {
  beforeEach(async () => {
    service = await startClean({ ENVIRONMENT: "production" });
    [guest, staff] = [await guestSession(service), await staffSession(service)];
    await guest.call("journeyFromRecordLocator", ADA);
    await attach();
  });

  it("from one network ends at three a day of one tag and six an hour, whether there is such a tag or not", async () => {
    const statuses = async (id: string, address: string) => {
      const answers = [];
      for (let i = 0; i < 4; i++) answers.push((await report({ words: `${i}` }, id, address)).status);
      return answers;
    };
    expect(await statuses(TAG, "192.0.2.1")).toEqual([200, 200, 200, 429]);
    expect(await statuses("never-seen", "198.51.100.1")).toEqual([200, 200, 200, 429]);
    await attach(guest, 2, "ebt-21-0002");
    await attach(guest, 2, "ebt-21-0003");
    expect(await statuses("ebt-21-0002", "192.0.2.200")).toEqual([200, 200, 200, 429]);
    expectError(await report({}, "ebt-21-0003", "192.0.2.1"), "required_info_not_provided");
    expectError(await report({ desk: "1" }, "ebt-21-0003", "192.0.2.1"), "too_many_requests");
    expect(await stored()).toEqual([6, 0]);
  });

  it("of made-up ids, or of a tag without reports, refuses no finder of the network", async () => {
    const stranger = await guestSession(service);
    await attach(stranger, 3, "claimed");
    const mac = "001122334455";
    await guest.call("deviceAttachment", { device: { mac }, baggageId: 2 });
    const ids = ["claimed", `HW:${mac}`, ...Array.from({ length: 5 }, (_, i) => `made-up-${i}`)];
    const statuses = [];
    for (const id of ids) statuses.push((await report({ desk: "4" }, id)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect((await report({ words: "true" })).status).toBe(200);
    expect(words(await trace())).toEqual(["true"]);
    const work = service.log.filter(({ route }) => route === "/v2/found-reports");
    expect(new Set(work.map(({ calls, statements }) => `${calls} ${statements}`)).size).toBe(1);
  });

  it("from one provider's thousands of networks ends at thirty", async () => {
    for (let i = 0; i < 31; i++) await report({ desk: `${i}` }, TAG, `2001:db8:${i.toString(16)}::1`);
    expect(await stored()).toEqual([30, 0]);
  });

  it("refused leaves no trace but its log line", async () => {
    for (let i = 0; i < 3; i++) await report();
    const before = await service.db.select().from(guessCounters);
    expect((await report()).headers.get("Retry-After")).toBe(String(DAY));
    expect(await service.db.select().from(guessCounters)).toEqual(before);
    expect((await events()).filter((event) => event === "found_reported")).toHaveLength(3);
  });

  it("from many networks hides no report that the holder could see, and none from staff", async () => {
    await report({ words: "true" }, TAG, "192.0.2.1");
    for (let i = 0; i < 120; i++) {
      service.advance(1);
      await report({ words: `spam ${i}` }, TAG, `198.51.${i}.1`);
    }
    const { body } = await trace();
    expect(words({ body } as Answer)).toEqual(["spam 1", "spam 0", "true"]);
    expect(body.more).toBe(118);
    const first = (await traced({ uniqueDeviceId: TAG })).body;
    const second = (await traced({ uniqueDeviceId: TAG, cursor: first.nextCursor })).body;
    const all = [...first.bags, ...second.bags].flatMap(({ reports }) => reports);
    expect([first.bags[0].reports.length, all.length, all.at(-1).words]).toEqual([100, 121, "true"]);
    expect(second.nextCursor).toBeUndefined();
    expect(new Set(all.map(({ source }) => source)).size).toBe(121);
  });

  it("from one network takes one of the day's three places", async () => {
    for (const text of ["a", "b", "c"]) {
      await report({ words: text }, TAG, "192.0.2.1");
      service.advance(1);
    }
    await report({ words: "true" }, TAG, "198.51.100.1");
    expect(words(await trace())).toEqual(["true", "a"]);
    // The first moment of the next day (UTC).
    service.advance(DAY - ((service.now() / 1_000) % DAY));
    await report({ words: "next day" }, TAG, "198.51.100.1");
    guest = await guestSession(service);
    await guest.call("journeyFromRecordLocator", ADA);
    expect(words(await trace())).toEqual(["next day", "true", "a"]);
  });
});

describe("a holder who mutes reports", () => {
  it("gets none in the journey, can still read them, and gets them again after marking the tag lost", async () => {
    await attach();
    await report();
    expect((await change({ muted: true })).body).toMatchObject({ muted: true, reports: [{ desk: "4" }] });
    await report();
    const bag = async () => (await guest.call("journeyFromRecordLocator", ADA)).body.baggage[0];
    expect(await bag()).not.toHaveProperty("foundAt");
    // The way to the reports, and to a link that is still shared.
    expect(await bag()).toHaveProperty("foundMuted", true);
    expect((await traced()).body.bags).toHaveLength(1);
    await lose(true);
    expect(await bag()).toMatchObject({ lost: true, foundAt: expect.any(String) });
    expect(await bag()).not.toHaveProperty("foundMuted");
  });
});

describe("a link to where the bag is", () => {
  it("is opened by staff, and the holder sees which airline did", async () => {
    await attach();
    const { link } = (await change({ locationLink: ` ${LINK} ` })).body;
    expect(link).toEqual({ host: "share.apple.com", addedAt: clock() });
    expect(JSON.stringify(await service.db.select().from(locationLinks))).not.toContain("4pY1xQz");
    await lose(true);
    const lostSince = clock();
    service.advance(60);
    expect((await traced()).body.bags).toMatchObject([
      {
        hasLocationLink: true,
        reportCount: 0,
        lostSince,
        flight: expect.stringMatching(/^[A-Z0-9]{2} \d+$/),
      },
    ]);
    expect((await open()).body).toEqual({ uniqueDeviceId: TAG, locationLink: LINK });
    const openedAt = clock();
    expect((await trace()).body).toMatchObject({ lostSince, link: { openedBy: "SK", openedAt } });
    expect(await events()).toEqual(["attached", "lost", "location_opened"]);
  });

  it("is replaced by another, and removed", async () => {
    await attach();
    await change({ locationLink: LINK });
    await open();
    service.advance(60);
    const other = "https://www.google.com/android/find/share/1";
    const { link } = (await change({ locationLink: other })).body;
    expect(link).toEqual({ host: "www.google.com", addedAt: clock() });
    expect((await open()).body.locationLink).toBe(other);
    expect((await change({ locationLink: "" })).body).not.toHaveProperty("link");
    expectError(await open(), "device_not_found");
    expect((await events()).filter((event) => event === "location_opened")).toHaveLength(2);
  });

  it("is a holder's to add, on a second phone too", async () => {
    await attach();
    expectError(await change({ locationLink: LINK }, stranger), "not_lock_holder");
    expectError(await change({ muted: true }, staff), "not_lock_holder");
    expect(await stored()).toEqual([0, 0]);
    await stranger.call("journeyFromRecordLocator", ADA);
    expect((await change({ locationLink: LINK }, stranger)).status).toBe(200);
  });

  it("to an unknown site is refused, and the one before stays", async () => {
    await attach();
    await change({ locationLink: LINK });
    const elsewhere = await change({ locationLink: "https://evil.example/" });
    expectError(elsewhere, "invalid_request");
    expect(elsewhere.body.errors).toEqual([expect.stringMatching(/one of: share\.apple\.com, \S+$/)]);
    expectError(await change({ locationLink: `${LINK}${"x".repeat(512)}` }), "invalid_request");
    expect((await open()).body.locationLink).toBe(LINK);
  });
});
