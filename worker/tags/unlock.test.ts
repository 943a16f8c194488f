import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, deviceTicketLocks, guessCounters } from "../../db/schema.ts";
import { startWithTwoGuests, type TestSession } from "../test-support/logins.ts";
import type { TestService } from "../test-support/service.ts";

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
    const answer = await unlock(guest, " EBT-21-0001");
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ uniqueDeviceId: " EBT-21-0001", locked: false });
    expect(await locks()).toEqual([]);
    await unlock(guest);
    expect(await removals()).toMatchObject([
      { requestId: answer.headers.get("X-Request-Id"), deviceId: TAG, airline: "SK" },
    ]);
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
});
