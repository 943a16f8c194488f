import { eq, inArray } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, clients, deviceTicketLocks } from "../../db/schema.ts";
import { ADA, staffSession, startWithTwoGuests, type TestSession } from "../test-support/logins.ts";
import { addStaff, changeRow, flagKiosks, MEMBER } from "../test-support/rows.ts";
import { expectError, type TestService } from "../test-support/service.ts";

const TAG = "ebt-21-0001";

let service: TestService;
let guest: TestSession;
let stranger: TestSession;
beforeEach(async () => {
  ({ service, guest, stranger } = await startWithTwoGuests());
});

const attach = (session = guest, baggageId = 1) =>
  session.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId });
const mark = (session: TestSession, lost: unknown = true, uniqueDeviceId = TAG) =>
  session.call("deviceLoss", { uniqueDeviceId, lost });
const isLost = async (session = stranger) =>
  (await session.call("ebtLookup", { uniqueDeviceId: TAG })).body.lost ?? false;
const authorize = (session: TestSession) =>
  session.call("ebtAuthorization", { uniqueDeviceId: TAG, nonce: "n" });
const marks = () =>
  service.db
    .select()
    .from(auditLog)
    .where(inArray(auditLog.event, ["lost", "found"]));

describe("marking a tag lost", () => {
  it("by its holder shows at every look-up, refuses tokens to others and leaves the lock as it is", async () => {
    await attach();
    const [before] = await service.db.select().from(deviceTicketLocks);
    const answer = await mark(guest);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ uniqueDeviceId: TAG, lost: true });
    expect(service.log.at(-1)).toMatchObject({ calls: 2 });
    expect([await isLost(), await isLost(guest)]).toEqual([true, true]);
    expectError(await authorize(stranger), "device_lost");
    expect((await authorize(guest)).status).toBe(200);
    const [after] = await service.db.select().from(deviceTicketLocks);
    expect(after).toEqual({ ...before, lostAt: service.now() });
  });

  it("shows on the bag of the journey", async () => {
    await attach();
    await mark(guest);
    const journey = await guest.call("journeyFromRecordLocator", ADA);
    expect(journey.body.baggage[0]).toMatchObject({ attachedDevice: TAG, lost: true });
    expect(journey.body.baggage[1]).not.toHaveProperty("lost");
  });
});

describe("removing the mark by staff deletes found reports, so it", () => {
  const clear = (session: TestSession, staff?: unknown) =>
    session.call("deviceLoss", { uniqueDeviceId: TAG, lost: false, staff });

  it("needs the PIN where the client demands one for a release", async () => {
    await attach();
    await mark(guest);
    await addStaff(service);
    await flagKiosks(service, { requireStaffPin: true });
    const kiosk = await staffSession(service);
    expectError(await clear(kiosk), "required_info_not_provided");
    expectError(await clear(kiosk, { ...MEMBER, pin: "13572468" }), "invalid_credentials");
    expect(await isLost()).toBe(true);
    expect((await mark(kiosk, true)).status).toBe(200);
    expect((await clear(kiosk, MEMBER)).status).toBe(200);
    expect(await isLost()).toBe(false);
    expect((await marks()).at(-1)).toMatchObject({ event: "found", staffId: MEMBER.id });
  });

  it("needs the scope of a release", async () => {
    await attach();
    await mark(guest);
    const kiosk = await staffSession(service);
    const [before] = await service.db.select().from(clients).where(eq(clients.id, "client-kiosk"));
    const scopes = before?.scopes.filter((scope) => scope !== "tag:release");
    await changeRow(service.db, clients, "client-kiosk", { scopes });
    expectError(await clear(kiosk), "insufficient_scope");
    expect(await isLost()).toBe(true);
  });
});
