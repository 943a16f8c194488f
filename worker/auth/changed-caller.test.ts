import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { endpoints } from "../../core/api/index.ts";
import {
  clients,
  deviceTicketLocks,
  guessCounters,
  loadedPlans,
  sessions,
  usedOnce,
} from "../../db/schema.ts";
import { dpopProof } from "../test-support/app-instance.ts";
import { guestSession, sessionOf, type TestSession } from "../test-support/logins.ts";
import { changeRow, lastSession } from "../test-support/rows.ts";
import { expectError, startClean, startService, type TestService } from "../test-support/service.ts";

/** Each request reads its client and session, and a DPoP proof is used once. */

const TAG = "ebt-21-0001";
const ATTACHMENT = { device: { uniqueID: TAG }, baggageId: 1 };
const ADA = { recordLocator: "ABC123", surname: "Lovelace" };
const JUERGEN = { recordLocator: "K7Q2ZD", surname: "Müller" };

let service: TestService;
let session: TestSession;
beforeEach(async () => {
  service = await startClean();
  session = await guestSession(service, { dpop: true });
  expect((await session.call("ebtLookup", { uniqueDeviceId: TAG })).status).toBe(200);
});

describe("a caller whose rows have changed since their last request", () => {
  let stored: typeof clients.$inferSelect | undefined;
  beforeEach(async () => {
    [stored] = await service.db.select().from(clients).where(eq(clients.id, "client-passenger"));
  });
  afterEach(() => setClient(stored ?? {}));
  const setClient = (fields: Partial<typeof clients.$inferInsert>) =>
    changeRow(service.db, clients, "client-passenger", fields);
  const setSession = async (fields: Partial<typeof sessions.$inferInsert>) =>
    changeRow(service.db, sessions, (await lastSession(service)).id, fields);

  it.each<[string, () => Promise<unknown>, string]>([
    ["the session is revoked", () => setSession({ revokedAt: service.now() }), "unauthorized_token"],
    ["the session is over", () => setSession({ expiresAt: service.now() }), "unauthorized_token"],
    ["the session is gone", () => service.db.delete(sessions), "unauthorized_token"],
    ["the session is another person's", () => setSession({ sub: "another" }), "unauthorized_token"],
    ["the session is bound to another key", () => setSession({ dpopJkt: "another" }), "unauthorized_token"],
    [
      "the session is another client's",
      () => setSession({ clientId: "client-kiosk" }),
      "unauthorized_client",
    ],
    ["the client is disabled", () => setClient({ enabled: false }), "unauthorized_client"],
    ["the client's key is another", () => setClient({ keyHash: "another" }), "unauthorized_client"],
    [
      "the client has lost the login method",
      () => setClient({ loginMethods: ["b2b"] }),
      "unauthorized_client",
    ],
    ["the client has lost the scope", () => setClient({ scopes: ["tag:read"] }), "insufficient_scope"],
  ])("is refused because %s", async (_, happens, code) => {
    const before = await service.db.$count(usedOnce);
    await happens();
    expectError(await session.call("deviceAttachment", ATTACHMENT), code as never);
    expect(await service.db.$count(deviceTicketLocks)).toBe(0);
    expect(await service.db.$count(usedOnce)).toBeLessThanOrEqual(before + 1);
  });
});

describe("a proof sent again", () => {
  const proofFor = (path: string) =>
    dpopProof(session.app, { path, now: service.now(), accessToken: session.accessToken });

  it.each([
    ["ebtAuthorization", { uniqueDeviceId: TAG, nonce: "AAAAAAAAAAAAAAAAAAAAAA" }],
    ["deviceAttachment", ATTACHMENT],
    ["ebtCustodyProof", { uniqueDeviceId: TAG, ...ADA }],
    ["ebtUnlock", { uniqueDeviceId: TAG }],
    ["deviceLoss", { uniqueDeviceId: TAG, lost: false }],
    ["logout", {}],
  ] as const)("does nothing at %s, whatever the body is now", async (name, body) => {
    const { path } = endpoints[name];
    const DPoP = await proofFor(path);
    await session.call(name, body, { DPoP });
    const code = name === "logout" ? "unauthorized_token" : "invalid_dpop_proof";
    expectError(await session.call(name, { ...body, extra: 1 }, { DPoP }), code);
    const later = sessionOf(await startService(), { ...session, dpop: true });
    expectError(await later.call(name, body, { DPoP }), code);
  });

  it("may read a booking again that it has loaded", async () => {
    const DPoP = await proofFor(endpoints.journeyFromRecordLocator.path);
    for (let i = 0; i < 3; i++) {
      expect((await session.call("journeyFromRecordLocator", ADA, { DPoP })).status).toBe(200);
    }
  });

  it.each([
    ["loads no other booking", JUERGEN],
    ["guesses at none", { recordLocator: "ZZZ999", surname: "Marple" }],
  ])("%s: right and wrong are refused alike, and nothing is counted", async (_, booking) => {
    const DPoP = await proofFor(endpoints.journeyFromRecordLocator.path);
    await session.call("journeyFromRecordLocator", ADA, { DPoP });
    const counted = await service.db.select().from(guessCounters);
    expectError(await session.call("journeyFromRecordLocator", booking, { DPoP }), "invalid_dpop_proof");
    expect(await service.db.$count(loadedPlans)).toBe(1);
    expect(await service.db.select().from(guessCounters)).toEqual(counted);
  });

  it("guesses once where its first guess was wrong", async () => {
    const DPoP = await proofFor(endpoints.journeyFromRecordLocator.path);
    const wrong = { ...ADA, surname: "Lovelard" };
    expectError(await session.call("journeyFromRecordLocator", wrong, { DPoP }), "journey_not_found");
    expectError(await session.call("journeyFromRecordLocator", ADA, { DPoP }), "invalid_dpop_proof");
    expect(await service.db.$count(loadedPlans)).toBe(0);
  });
});
