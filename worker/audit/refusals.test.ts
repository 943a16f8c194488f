import { beforeEach, describe, expect, it } from "vitest";
import { auditLog } from "../../db/schema.ts";
import { staffSession } from "../test-support/logins.ts";
import { B2B_SECRET, KIOSK_KEY, PARTNER_KEY, startClean, type TestService } from "../test-support/service.ts";
import { auditReader } from "./seals/reader.ts";
import { sealAudit } from "./seals/sealing.ts";
import { verifyAudit } from "./seals/verification.ts";

/** Refused logins share rows of the audit log: one per minute and cause, and per client or network. */

let service: TestService;
beforeEach(async () => {
  service = await startClean();
  // At the start of a minute, so that a test stays in it.
  service.advance(60 - (Math.floor(service.now() / 1_000) % 60));
});

const login = (password: string, clientKey = KIOSK_KEY) =>
  service.call(
    "b2bSession",
    { username: "kiosk-osl-1", password },
    { "X-Source-App-Key": clientKey, "X-B2B-Secret": B2B_SECRET },
  );
const guestLogin = (address: string) =>
  service.post(
    "/v2/auth/guest/sessions",
    { nonce: "?", attestationObject: "?" },
    { "CF-Connecting-IP": address },
  );
const rows = async () =>
  (await service.db.select().from(auditLog)).map(({ event, reason, clientId, count }) => ({
    ...{ event, reason, clientId, count },
  }));
const seal = () => sealAudit({ ...service, now: service.now(), elapsed: () => 0 });

describe("refusals", () => {
  it("of one cause within a minute are one row that counts them, at the same time, too", async () => {
    await Promise.all(Array.from({ length: 20 }, () => login("wrong")));
    const expected = { event: "invalid_credentials", reason: "password", clientId: "client-kiosk" };
    expect(await rows()).toEqual([{ ...expected, count: 20 }]);
    service.advance(59);
    await login("wrong");
    service.advance(1);
    await login("wrong");
    expect(await rows()).toEqual([
      { ...expected, count: 21 },
      { ...expected, count: 1 },
    ]);
  });

  it("of another client, and without a client of another network, are another row", async () => {
    await login("wrong");
    await login("wrong", PARTNER_KEY);
    for (const address of ["192.0.2.1", "192.0.2.2", "198.51.100.1"]) await guestLogin(address);
    const counts = (await rows()).map(({ clientId, count }) => [clientId, count]);
    expect(counts).toEqual([
      ["client-kiosk", 1],
      ["client-partner", 1],
      [null, 2],
      [null, 1],
    ]);
  });

  it("name the last request that was counted, and no network", async () => {
    await guestLogin("192.0.2.1");
    const [row] = await service.db.select().from(auditLog);
    await guestLogin("192.0.2.1");
    // That row alone: no index, and not the table's sequence.
    expect(service.log.at(-1)).toMatchObject({ rowsWritten: 1 });
    const [after] = await service.db.select().from(auditLog);
    expect(after).toEqual({ ...row, count: 2, requestId: service.log.at(-1)?.requestId });
    expect(after?.mergeKey).toMatch(/^[\w-]{43}$/);
  });

  it("are read with their count by staff of the client's airline", async () => {
    for (let i = 0; i < 3; i++) await login("wrong");
    const staff = await staffSession(service);
    const { body } = await staff.call("auditEvents", { event: "invalid_credentials" });
    expect(body.events).toMatchObject([{ reason: "password", count: 3 }]);
  });

  it("are sealed only once they change no more, and then a changed count shows", async () => {
    await login("wrong");
    service.advance(30);
    expect(await seal()).toMatchObject({ rows: 0 });
    await login("wrong");
    service.advance(120);
    expect(await seal()).toMatchObject({ rows: 1 });
    const verify = async () =>
      (await verifyAudit(auditReader(service.db), service.settings.auditSealKeys.verifying)).faults;
    expect(await verify()).toEqual([]);
    await service.db.update(auditLog).set({ count: 1 });
    expect(await verify()).toMatchObject([{ kind: "row_changed" }]);
  });
});
