import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { endpoints } from "../../core/api/index.ts";
import {
  clients,
  deviceTicketLocks,
  guessCounters,
  loadedPlans,
  sessions,
  usedOnce,
} from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import { inBatch, openDatabase, presuming, requiring } from "../database/statements.ts";
import { dpopProof } from "../test-support/app-instance.ts";
import { startWithCleanTags } from "../test-support/clean-tags.ts";
import { expectError } from "../test-support/expect-error.ts";
import { guardedDatabase } from "../test-support/guarded-database.ts";
import { guestSession, sessionOf, type TestSession } from "../test-support/logins.ts";
import { lastSession } from "../test-support/rows.ts";
import { startService, type TestService } from "../test-support/service.ts";

/** What a request presumes of its caller counts for nothing once it is no longer so, and a proof is used once (ADR 28). */

const TAG = "ebt-21-0001";
const ATTACHMENT = { device: { uniqueID: TAG }, baggageId: 1 };
const ADA = { recordLocator: "ABC123", surname: "Lovelace" };
const JUERGEN = { recordLocator: "K7Q2ZD", surname: "Müller" };

let service: TestService;
let session: TestSession;
beforeEach(async () => {
  service = await startWithCleanTags();
  session = await guestSession(service, { dpop: true });
  // Both rows are held from here on.
  expect((await session.call("ebtLookup", { uniqueDeviceId: TAG })).status).toBe(200);
});

const rows = () => service.db.$count(deviceTicketLocks);

describe("what an isolate holds", () => {
  it("saves the call that asks who is calling", async () => {
    expect((await session.call("deviceAttachment", ATTACHMENT)).status).toBe(200);
    expect(service.log.at(-1)).toMatchObject({ calls: 1 });
    expect(service.log.at(-1)).not.toHaveProperty("again");
  });

  it("is there for several callers in turn", async () => {
    const other = await guestSession(service, { dpop: true });
    expect((await other.call("ebtLookup", { uniqueDeviceId: TAG })).status).toBe(200);
    expect((await session.call("deviceAttachment", ATTACHMENT)).status).toBe(200);
    expect(service.log.at(-1)).toMatchObject({ calls: 1 });
    expect(service.log.at(-1)).not.toHaveProperty("again");
  });

  it("is not there in another isolate, which reads first and then holds as well", async () => {
    const other = sessionOf(await startService(), { ...session, dpop: true });
    expect((await other.call("ebtLookup", { uniqueDeviceId: TAG })).status).toBe(200);
  });

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
  ])(
    "counts for nothing once %s: nothing is done, and the proof is not used up",
    async (_, happens, code) => {
      const before = await service.db.$count(usedOnce);
      await happens();
      try {
        expectError(await session.call("deviceAttachment", ATTACHMENT), code as never);
        expect(await rows()).toBe(0);
        expect(service.log.at(-1)).toMatchObject({ again: 2 });
        if (code === "unauthorized_token")
          expect(await service.db.$count(usedOnce)).toBeLessThanOrEqual(before + 1);
      } finally {
        await restoreClient();
      }
    },
  );

  it("is read again once anything of the session is another, although the call is allowed as before", async () => {
    for (const fields of [
      { method: "attestation" },
      { evidence: "demo" },
      { airlines: ["SK"] },
      { keyJwk: null },
    ]) {
      await setSession(fields as Partial<typeof sessions.$inferInsert>);
      expect((await session.call("deviceAttachment", ATTACHMENT)).status).toBe(200);
      expect(service.log.at(-1)).toHaveProperty("again");
    }
  });

  it("is judged again where it would refuse what is allowed since", async () => {
    await setClient({ scopes: ["tag:read"] });
    expectError(await session.call("deviceAttachment", ATTACHMENT), "insufficient_scope");
    await restoreClient();
    expect((await session.call("deviceAttachment", ATTACHMENT)).status).toBe(200);
    expect(await rows()).toBe(1);
  });

  it("does not make two of a batch whose answer was lost", async () => {
    let isLost = false;
    const database = (binding: D1Database) => losing(binding, () => isLost);
    const fragile = await startService({}, undefined, { database });
    const guest = await guestSession(fragile, { dpop: true });
    await guest.call("ebtLookup", { uniqueDeviceId: TAG });
    isLost = true;
    const answer = await guest.call("deviceAttachment", ATTACHMENT);
    isLost = false;
    expectError(answer, "service_unavailable");
    expect(await rows()).toBe(1);
    expect(fragile.log.at(-1)).not.toHaveProperty("again");
  });

  const before = () => ({
    loginMethods: OLD.loginMethods,
    scopes: OLD.scopes,
    keyHash: OLD.keyHash,
    enabled: true,
  });
  let OLD: typeof clients.$inferSelect;
  beforeEach(async () => {
    const [row] = await service.db.select().from(clients).where(eq(clients.id, "client-passenger"));
    if (row) OLD = row;
  });
  const setClient = (fields: Partial<typeof clients.$inferInsert>) =>
    service.db.update(clients).set(fields).where(eq(clients.id, "client-passenger"));
  const restoreClient = () => setClient(before());
  const setSession = async (fields: Partial<typeof sessions.$inferInsert>) =>
    service.db
      .update(sessions)
      .set(fields)
      .where(eq(sessions.id, (await lastSession(service)).id));
});

/** `binding` that does what a batch says and then loses the answer. */
function losing(binding: D1Database, isLost: () => boolean): D1Database {
  const guarded = guardedDatabase(binding, () => undefined);
  const withSession = (from?: string) => {
    const inner = guarded.withSession(from);
    const batch = async (statements: D1PreparedStatement[]) => {
      const answers = await inner.batch(statements);
      if (isLost()) throw new Error("D1_ERROR: Network connection lost.");
      return answers;
    };
    return { ...inner, getBookmark: () => inner.getBookmark(), batch };
  };
  return { ...guarded, withSession } as unknown as D1Database;
}

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
    ["guesses at none", { recordLocator: "ZZZ999", surname: "Nobody" }],
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

describe("a guard", () => {
  const open = () => openDatabase(env.DB, "first-primary").db;

  it("lets no statement go before it", async () => {
    const db = open();
    const guard = [requiring(db, sql`true`)];
    const alone = presuming(
      db,
      guard,
      async () => db.select().from(clients),
      async () => [],
    );
    await expect(alone).rejects.toMatchObject({
      cause: { message: expect.stringContaining("before the guard") },
    });
  });

  it("undoes the whole batch where it fails", async () => {
    const db = open();
    const once = { endsAt: 1, hash: "undone" };
    const work = async () => {
      await inBatch(db, { once: db.insert(usedOnce).values(once) });
      return "presumed";
    };
    const said = await presuming(db, [requiring(db, sql`false`)], work, async () => "anew");
    expect(said).toBe("anew");
    expect(await service.db.$count(usedOnce, eq(usedOnce.endsAt, 1))).toBe(0);
  });

  it("is no answer where nothing was asked", async () => {
    const db = open();
    const said = await presuming(
      db,
      [requiring(db, sql`true`)],
      async () => "presumed",
      async () => "anew",
    );
    expect(said).toBe("anew");
  });
});
