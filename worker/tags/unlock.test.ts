import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, deviceTicketLocks, guessCounters } from "../../db/schema.ts";
import { startWithTwoGuests } from "../test-support/clean-tags.ts";
import { ADA, atOnce, staffSession, type TestSession } from "../test-support/logins.ts";
import { expectError, type TestService } from "../test-support/service.ts";

const TAG = "ebt-21-0001";

let service: TestService;
let guest: TestSession;
let stranger: TestSession;
beforeEach(async () => {
  ({ service, guest, stranger } = await startWithTwoGuests());
  await guest.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 1 });
});

const unlock = (session: TestSession, uniqueDeviceId = TAG) => session.call("ebtUnlock", { uniqueDeviceId });
const locks = () => service.db.select().from(deviceTicketLocks);
const removals = () => service.db.select().from(auditLog).where(eq(auditLog.event, "cleared"));

describe("an unlock", () => {
  it("by the holder removes the lock, once, with its audit row", async () => {
    const answer = await unlock(guest);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ uniqueDeviceId: TAG, locked: false });
    expect(await locks()).toEqual([]);
    await unlock(guest);
    expect(await removals()).toMatchObject([
      { requestId: answer.headers.get("X-Request-Id"), deviceId: TAG, airline: "SK" },
    ]);
  });

  it("by anyone else is refused and changes nothing", async () => {
    const before = await locks();
    expectError(await unlock(stranger), "not_lock_holder");
    const staff = await staffSession(service);
    await staff.call("journeyFromRecordLocator", ADA);
    expectError(await unlock(staff), "not_lock_holder");
    expect(await locks()).toEqual(before);
    expect(await removals()).toEqual([]);
  });

  it("answers with the id as it was sent, in any spelling", async () => {
    expect((await unlock(guest, " EBT-21-0001")).body.uniqueDeviceId).toBe(" EBT-21-0001");
    expect(await locks()).toEqual([]);
  });

  it("resets the counters of guesses at the tag", async () => {
    await stranger.call("ebtCustodyProof", {
      uniqueDeviceId: TAG,
      recordLocator: "WRONG1",
      surname: "MARPLE",
    });
    const ofTag = async () =>
      (await service.db.select().from(guessCounters)).filter(({ key }) => key.startsWith("device:"));
    expect(await ofTag()).toHaveLength(1);
    await unlock(guest);
    expect(await ofTag()).toEqual([]);
  });

  it("and an attachment at once leave a lock that matches the answers", async () => {
    const attach = () => stranger.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 3 });
    const [unlocked, attached] = await atOnce(() => [unlock(guest), attach()]);
    expect(unlocked?.status).toBe(200);
    expect((await locks()).map(({ baggageId }) => baggageId)).toEqual(attached?.status === 200 ? [3] : []);
  });
});
