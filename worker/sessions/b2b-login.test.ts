import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { HEADER } from "../../core/api/index.ts";
import { auditLog, b2bAccounts, clients } from "../../db/schema.ts";
import { staffSubject } from "../secrets/credentials.ts";
import { staffSession } from "../test-support/logins.ts";
import { changeRow, lastAudit, lastSession } from "../test-support/rows.ts";
import {
  expectError,
  KIOSK_KEY,
  PARTNER_KEY,
  PASSENGER_KEY,
  STAFF_LOGIN,
  startService,
  type TestService,
} from "../test-support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

const right = { username: "kiosk-osl-1", password: "correct horse battery staple" };
const login = (body: unknown, headers: Record<string, string> = {}) =>
  service.call("b2bSession", body, { ...STAFF_LOGIN, ...headers });

describe("ground staff", () => {
  it("have sessions that are found by what operators compute", async () => {
    await staffSession(service);
    const { sub } = await lastSession(service);
    expect(await staffSubject(service.settings.pepper, "client-kiosk", "kiosk-osl-1")).toBe(sub);
  });

  it("log in with shared secret, user name and password, without a key of their own", async () => {
    const answer = await login(right);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ tokenType: "Bearer", expiresIn: 600, refreshExpiresIn: 86_400 });
    const row = await lastSession(service);
    expect(row).toMatchObject({
      method: "b2b",
      evidence: "b2b",
      airlines: ["SK"],
      keyJwk: null,
      clientBound: true,
    });
  });

  it("are those of their client, though another has an account of the same name", async () => {
    const account = eq(b2bAccounts.clientId, "client-kiosk");
    const set = (airlines: readonly string[]) =>
      service.db.update(b2bAccounts).set({ airlines }).where(account);
    await set(["SK", "LH"]);
    const airlines = async (clientKey: string) => {
      await staffSession(service, { clientKey });
      return (await lastSession(service)).airlines;
    };
    expect([await airlines(KIOSK_KEY), await airlines(PARTNER_KEY)]).toEqual([["SK", "LH"], ["SK"]]);
    await set(["SK"]);
  });

  it("have the key of their DPoP proof certified", async () => {
    const { app } = await staffSession(service, { dpop: true });
    const row = await lastSession(service);
    expect(row).toMatchObject({ keyJwk: app.jwk, dpopJkt: app.jkt });
  });

  it.each([
    ["password", { ...right, password: "wrong" }, {}],
    ["user name", { ...right, username: "unknown" }, {}],
    ["shared secret", right, { [HEADER.b2bSecret]: "wrong" }],
  ])(
    "get one answer whatever is wrong, here the %s",
    async (reason, body, headers: Record<string, string>) => {
      const answer = await login(body, headers);
      expectError(answer, "invalid_credentials");
      expect(answer.body.message).toBe("The credentials were not accepted.");
      expect(await lastAudit(service)).toMatchObject({ event: "invalid_credentials", reason });
    },
  );

  it.each([
    ["absent", {}],
    ["blank", { [HEADER.b2bSecret]: " \t " }],
  ])("learn which header is missing where that of the shared secret is %s", async (_, headers) => {
    const before = await service.db.select().from(auditLog);
    const answer = await service.call("b2bSession", right, { [HEADER.clientKey]: KIOSK_KEY, ...headers });
    expectError(answer, "required_info_not_provided");
    expect(answer.body.message).toBe("Mandatory information is missing: X-B2B-Secret.");
    expect(answer.body.errors).toEqual(["X-B2B-Secret is required"]);
    expect(await service.db.select().from(auditLog)).toEqual(before);
  });

  it.each(["unknown", PASSENGER_KEY])(
    "learn first that the client key %s does not open this login",
    async (key) => {
      expectError(
        await service.call("b2bSession", right, { [HEADER.clientKey]: key }),
        "unauthorized_client",
      );
    },
  );

  it("are refused once their account is disabled", async () => {
    const other = await startService();
    const account = and(eq(b2bAccounts.clientId, "client-kiosk"), eq(b2bAccounts.username, right.username));
    await other.db.update(b2bAccounts).set({ enabled: false }).where(account);
    await expect(staffSession(other)).rejects.toThrow("invalid_credentials");
    await other.db.update(b2bAccounts).set({ enabled: true }).where(account);
  });

  it("are refused where the client has no shared secret at all", async () => {
    await changeRow(service.db, clients, "client-partner", { b2bSecretHash: null });
    expectError(
      await login(right, { [HEADER.clientKey]: "demo-partner-key", [HEADER.b2bSecret]: "any" }),
      "invalid_credentials",
    );
  });
});
