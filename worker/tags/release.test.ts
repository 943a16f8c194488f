import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, clients, deviceTicketLocks } from "../../db/schema.ts";
import { guestSession, staffSession, type TestSession, withBookings } from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { expectError, startClean, type TestService } from "../test-support/service.ts";

const TAG = "ebt-21-0001";

let service: TestService;
let guest: TestSession;
let staff: TestSession;
beforeEach(async () => {
  service = await startClean();
  guest = await withBookings(service, await guestSession(service));
  staff = await staffSession(service);
});

const attach = (baggageId = 1) => guest.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId });
const release = (session = staff, uniqueDeviceId = TAG, reason = "bag left behind") =>
  session.call("lockRelease", { uniqueDeviceId, reason });
const locks = () => service.db.select().from(deviceTicketLocks);
const releases = () => service.db.select().from(auditLog).where(eq(auditLog.event, "released"));

describe("a release by staff", () => {
  it("removes a lock of their airline, with their reason in the audit log", async () => {
    await attach();
    const answer = await release();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ uniqueDeviceId: TAG, locked: false });
    expect(service.log.at(-1)).toMatchObject({ calls: 2 });
    expect(await locks()).toEqual([]);
    expect(await releases()).toMatchObject([
      {
        requestId: answer.headers.get("X-Request-Id"),
        deviceId: TAG,
        airline: "SK",
        clientId: "client-kiosk",
        reason: "bag left behind",
      },
    ]);
  });

  it("is not a passenger's even where a client key hands out the scope", async () => {
    await attach();
    const [client] = await service.db.select().from(clients).where(eq(clients.id, "client-passenger"));
    const scopes = [...(client?.scopes ?? []), "tag:release"];
    await changeRow(service.db, clients, "client-passenger", { scopes });
    expectError(await release(await guestSession(service)), "insufficient_scope");
    await changeRow(service.db, clients, "client-passenger", { scopes: client?.scopes ?? [] });
    expect(await locks()).toHaveLength(1);
  });
});
