import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, b2bAccounts, clients, deviceTicketLocks, guessCounters } from "../../db/schema.ts";
import { clientKeyHash } from "../secrets/sealed.ts";
import { guestSession, staffSession, type TestSession, withBookings } from "../test-support/logins.ts";
import { addStaff, changeRow, flagKiosks, MEMBER } from "../test-support/rows.ts";
import { expectError, startClean, type TestService } from "../test-support/service.ts";

const TAG = "ebt-21-0001";
const WRONG = { ...MEMBER, pin: "13572468" };

let service: TestService;
let kiosk: TestSession;
beforeEach(async () => {
  service = await startClean();
  await addStaff(service);
  kiosk = await staffSession(service);
  const guest = await withBookings(service, await guestSession(service));
  await guest.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 1 });
});

const release = (staff?: unknown, session = kiosk, headers = {}) =>
  session.call("lockRelease", { uniqueDeviceId: TAG, reason: "left behind", staff }, headers);
const check = (body: object = {}, session = kiosk) => session.call("staffCheck", body);
const locks = () => service.db.select().from(deviceTicketLocks);
const rowsOf = (event: string) => service.db.select().from(auditLog).where(eq(auditLog.event, event));
const tryWrong = async (times: number) => {
  for (let i = 0; i < times; i++) expectError(await release(WRONG), "invalid_credentials");
};

describe("a release with id and PIN", () => {
  beforeEach(() => flagKiosks(service, { requireStaffPin: true }));

  it("opens the lock, and the audit log names the member of staff", async () => {
    expect((await release(MEMBER)).status).toBe(200);
    expect(await locks()).toEqual([]);
    expect(await rowsOf("released")).toMatchObject([{ staffId: "1001", reason: "left behind" }]);
    const seen = await kiosk.call("auditEvents", { event: "released" });
    expect(seen.body.events[0]).toMatchObject({ staffId: "1001", uniqueDeviceId: TAG });
  });

  it("of another airline's lock shows that airline no staff id", async () => {
    const uniqueDeviceId = "ebt-21-0002";
    const stranger = await guestSession(service);
    await stranger.call("deviceAttachment", { device: { uniqueID: uniqueDeviceId }, baggageId: 3 });
    const answer = await kiosk.call("lockRelease", { uniqueDeviceId, reason: "a claim", staff: MEMBER });
    expect(answer.status).toBe(200);
    const rows = (await rowsOf("released")).map(({ airline, staffId }) => [airline, staffId]);
    expect(rows).toEqual([
      ["SK", "1001"],
      ["LH", null],
    ]);
  });

  it("takes the id however it is typed", async () => {
    await addStaff(service, { id: "K7A", pin: MEMBER.pin });
    expect((await release({ id: " k7 a", pin: MEMBER.pin })).status).toBe(200);
    expect(await rowsOf("released")).toMatchObject([{ staffId: "K7A" }]);
  });

  it.each([undefined, null, {}])("names `staff` where the client demands it: %j", async (staff) => {
    const answer = await release(staff);
    expectError(answer, "required_info_not_provided");
    expect(answer.body.errors[0]).toMatch(/^staff/);
    expect(answer.body.message).toContain("staff");
    expect(await locks()).toHaveLength(1);
  });
});

describe("a client without the flag", () => {
  it("releases without `staff` as it always did, and leaves the staff id empty", async () => {
    expect((await release()).status).toBe(200);
    expect(await rowsOf("released")).toMatchObject([{ staffId: null }]);
  });

  it("has `staff` checked where it is sent", async () => {
    expectError(await release(WRONG), "invalid_credentials");
    expect(await locks()).toHaveLength(1);
    expect((await release(MEMBER)).status).toBe(200);
    expect(await rowsOf("released")).toMatchObject([{ staffId: "1001" }]);
  });
});

describe("a false staff id", () => {
  it("gets one answer, byte for byte, whatever is wrong, and opens nothing", async () => {
    await addStaff(service, { id: "1002", pin: MEMBER.pin }, { enabled: false });
    await addStaff(service, { id: "1003", pin: MEMBER.pin }, { clientId: "client-partner" });
    const answers = [
      await release(WRONG),
      await release({ id: "1002", pin: MEMBER.pin }),
      await release({ id: "1003", pin: MEMBER.pin }),
      await release({ id: "9999", pin: MEMBER.pin }),
      await check({ staff: WRONG, purpose: "set_up" }),
    ];
    for (const answer of answers) expectError(answer, "invalid_credentials");
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await locks()).toHaveLength(1);
    expect(await rowsOf("staff_checked")).toEqual([]);
  });

  it("leaves the cause in the audit log, and of what they typed an id at most that exists", async () => {
    await addStaff(service, { id: "1002", pin: MEMBER.pin }, { enabled: false });
    await release(WRONG);
    await release({ id: "1002", pin: MEMBER.pin });
    await release({ id: "Grace Hopper", pin: MEMBER.pin });
    const reasons = (await rowsOf("invalid_credentials")).map(({ reason }) => reason);
    expect(reasons.sort()).toEqual(["PIN of staff 1001", "disabled staff 1002", "staff id"]);
    const everything = JSON.stringify([
      service.log,
      await service.db.select().from(auditLog),
      await service.db.select().from(guessCounters),
    ]);
    expect(everything).not.toMatch(/hopper|24681357|13572468/i);
  });

  it("costs the same statements for an unknown id", async () => {
    // The first refusal makes its counter and its audit row, the next ones use them.
    await release({ ...WRONG, id: "9999" });
    await release(WRONG);
    const costs = [];
    for (const staff of [WRONG, { ...WRONG, id: "9999" }]) {
      await release(staff);
      costs.push(service.log.at(-1));
    }
    const [known, unknown] = costs.map((line) => [line?.calls, line?.statements, line?.rowsWritten]);
    expect(unknown).toEqual(known);
  });
});

describe("guessing at a PIN", () => {
  it("ends after five tries at one id, before anything is compared, for a quarter of an hour", async () => {
    await tryWrong(5);
    const refused = await release(MEMBER);
    expectError(refused, "too_many_attempts");
    expect(refused.headers.get("Retry-After")).toBe("900");
    expect(await locks()).toHaveLength(1);
    service.advance(901);
    expect((await release(MEMBER, await staffSession(service))).status).toBe(200);
  });

  it("is counted again under the same Idempotency-Key: there is no replay to hide behind", async () => {
    const again = () => release(WRONG, kiosk, { "Idempotency-Key": "one-key-for-all-of-them" });
    const codes = [];
    for (let i = 0; i < 7; i++) codes.push((await again()).body.errorCode);
    expect(codes.slice(0, 5)).toEqual(Array(5).fill("invalid_credentials"));
    expect(codes.slice(5)).toEqual(Array(2).fill("too_many_attempts"));
  });

  it("goes on under no other spelling, endpoint or account of the client", async () => {
    await tryWrong(3);
    expectError(await release({ ...WRONG, id: " 1001 " }), "invalid_credentials");
    expectError(await check({ staff: WRONG }), "invalid_credentials");
    const other = await staffSession(service);
    for (const id of ["1001", "１００１"])
      expectError(await release({ ...MEMBER, id }, other), "too_many_attempts");
    expectError(await check({ staff: MEMBER }), "too_many_attempts");
  });

  it("at one client's member of staff refuses no other client's with the same id", async () => {
    const { db } = service;
    const [client] = await db.select().from(clients).where(eq(clients.id, "client-kiosk"));
    const [account] = await db.select().from(b2bAccounts).where(eq(b2bAccounts.username, "kiosk-osl-1"));
    if (client === undefined || account === undefined) throw new Error("no kiosk");
    await db.insert(clients).values({ ...client, id: "other", keyHash: await clientKeyHash("other-key") });
    await db.insert(b2bAccounts).values({ ...account, clientId: "other" });
    await addStaff(service, MEMBER, { clientId: "other" });
    await tryWrong(5);
    expectError(await release(MEMBER), "too_many_attempts");
    const other = await staffSession(service, { clientKey: "other-key" });
    expect((await check({ staff: MEMBER }, other)).status).toBe(200);
  });

  it("ends for an account that tries one PIN at every id", async () => {
    const codes = [];
    for (let id = 2000; id < 2032; id++)
      codes.push((await release({ ...MEMBER, id: `${id}` })).body.errorCode);
    expect(codes.filter((code) => code === "invalid_credentials")).toHaveLength(30);
    expect(codes.at(-1)).toBe("too_many_attempts");
  });

  it("is no guess where it is right: staff who work all day are never refused", async () => {
    for (let i = 0; i < 8; i++) expect((await release(MEMBER)).status).toBe(200);
    for (let i = 0; i < 8; i++) expect((await check({ staff: MEMBER })).status).toBe(200);
    const counts = (await service.db.select().from(guessCounters)).map(({ key, count }) => [
      key.split(":")[0],
      count,
    ]);
    expect(counts).toEqual(
      expect.arrayContaining([
        ["staff", 0],
        ["staff-account", 0],
      ]),
    );
  });
});

describe("a check without a release", () => {
  it("reports whether this client requires id and PIN, and writes nothing", async () => {
    expect((await check()).body).toEqual({ pinRequired: false });
    await flagKiosks(service, { requireStaffPin: true });
    expect((await check()).body).toEqual({ pinRequired: true });
    expect(await rowsOf("staff_checked")).toEqual([]);
  });

  it("leaves a row with the member of staff and the purpose", async () => {
    expect((await check({ staff: MEMBER, purpose: "end_of_shift" })).status).toBe(200);
    expect(await rowsOf("staff_checked")).toMatchObject([
      { staffId: "1001", reason: "end_of_shift", airline: "SK", clientId: "client-kiosk", deviceId: null },
    ]);
  });

  it("is for ground staff: a passenger's session learns nothing and counts nothing", async () => {
    const guest = await guestSession(service);
    const before = await service.db.select().from(guessCounters);
    for (const body of [{}, { staff: MEMBER }]) expectError(await check(body, guest), "insufficient_scope");
    expect(await service.db.select().from(guessCounters)).toEqual(before);
  });
});

describe("removing the mark of a lost tag deletes found reports, so it", () => {
  const mark = (lost: boolean, staff?: unknown) =>
    kiosk.call("deviceLoss", { uniqueDeviceId: TAG, lost, ...(staff !== undefined && { staff }) });
  const isLost = async () => (await locks())[0]?.lostAt !== null;

  it("needs the PIN where the client demands one for a release", async () => {
    await flagKiosks(service, { requireStaffPin: true });
    expect((await mark(true)).status).toBe(200);
    expectError(await mark(false), "required_info_not_provided");
    expectError(await mark(false, WRONG), "invalid_credentials");
    expect(await isLost()).toBe(true);
    expect((await mark(false, MEMBER)).status).toBe(200);
    expect(await isLost()).toBe(false);
    expect(await rowsOf("found")).toMatchObject([{ staffId: MEMBER.id }]);
  });

  it("needs the scope of a release", async () => {
    await mark(true);
    const [kiosks] = await service.db.select().from(clients).where(eq(clients.id, "client-kiosk"));
    const scopes = kiosks?.scopes.filter((scope) => scope !== "tag:release");
    await changeRow(service.db, clients, "client-kiosk", { scopes });
    expectError(await mark(false), "insufficient_scope");
    expect(await isLost()).toBe(true);
  });
});
