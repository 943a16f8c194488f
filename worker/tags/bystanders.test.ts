import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { devices, deviceTicketLocks } from "../../db/schema.ts";
import { startWithCleanTags } from "../test-support/clean-tags.ts";
import { ADA, guestSession, type TestSession, withBookings } from "../test-support/logins.ts";
import { expectError, type TestService } from "../test-support/service.ts";
import { ctiOf, tokenFor } from "../test-support/signing-tag.ts";

/** What a request does to one tag it does to no other (rules §5). */

const [ONE, TWO] = ["ebt-20-0005", "ebt-21-0002"];

let service: TestService;
/** Has loaded the booking of bags 1 and 2, and holds both tags. */
let owner: TestSession;
/** Has loaded nothing. */
let stranger: TestSession;

beforeEach(async () => {
  service = await startWithCleanTags({ ACCESS_TOKEN_SECONDS: "2e9" });
  owner = await withBookings(service, await guestSession(service), ["demo-plan-1"]);
  stranger = await guestSession(service);
});

const attach = (session: TestSession, baggageId: number, uniqueID = ONE, more: object = {}) =>
  session.call("deviceAttachment", { device: { uniqueID }, baggageId, ...more });
const unlock = (session: TestSession, more: object = {}, uniqueDeviceId = ONE) =>
  session.call("ebtUnlock", { uniqueDeviceId, ...more });
const look = async (session: TestSession, uniqueDeviceId: string, more: object = {}) =>
  (await session.call("ebtLookup", { uniqueDeviceId, ...more })).body;
const held = { locked: true, sameTravelPlan: true };

describe("of two locked tags", () => {
  beforeEach(async () => {
    await attach(owner, 1, ONE);
    await attach(owner, 2, TWO);
  });

  it("the one that is not unlocked keeps its lock and its numbers, and its holder gets no notice of an end", async () => {
    await service.db.update(deviceTicketLocks).set({ commits: 7 });
    await unlock(owner);
    expect(await look(owner, TWO)).toEqual({ ...held, requiresCustodyProof: false });
    const [other] = await service.db.select().from(devices).where(eq(devices.id, TWO));
    expect(other).toMatchObject({ spentCommits: 0, endedReason: null, endedAt: null });
    const [ended] = await service.db.select().from(devices).where(eq(devices.id, ONE));
    expect(ended).toMatchObject({ spentCommits: 7, endedReason: "holder", endedAt: service.now() });
  });

  it("the one that is not proven keeps its lock", async () => {
    const proof = { uniqueDeviceId: ONE, ...ADA };
    expect((await stranger.call("ebtCustodyProof", proof)).status).toBe(200);
    expect(await look(owner, TWO)).toMatchObject(held);
    expect((await look(owner, ONE)).lockEnded).toMatchObject({ reason: "proof" });
  });

  it("the one that is not reported is not lost", async () => {
    await owner.call("deviceLoss", { uniqueDeviceId: ONE, lost: true });
    expect(await look(owner, ONE)).toMatchObject({ lost: true });
    expect(await look(owner, TWO)).not.toHaveProperty("lost");
  });

  it("the one without guesses shows its holder no attempts", async () => {
    await stranger.call("ebtCustodyProof", { uniqueDeviceId: ONE, ...ADA, surname: "MARPLE" });
    expect(await look(owner, ONE)).toMatchObject({ failedCustodyProofs: { count: 1 } });
    expect(await look(owner, TWO)).not.toHaveProperty("failedCustodyProofs");
  });
});

describe("a former holder gets the reason of the end", () => {
  it("whether they attached it or have its booking loaded, and no other caller does", async () => {
    const companion = await withBookings(service, await guestSession(service), ["demo-plan-1"]);
    const passer = await withBookings(service, await guestSession(service), ["demo-plan-2"]);
    await attach(owner, 1);
    await stranger.call("ebtCustodyProof", { uniqueDeviceId: ONE, ...ADA });
    const lockEnded = { reason: "proof", at: new Date(service.now()).toISOString() };
    for (const former of [owner, companion]) expect(await look(former, ONE)).toMatchObject({ lockEnded });
    for (const other of [stranger, passer]) expect(await look(other, ONE)).not.toHaveProperty("lockEnded");
  });
});

describe("a late report", () => {
  it("under a token that another holder took counts as made now", async () => {
    const companion = await withBookings(service, await guestSession(service), ["demo-plan-1"]);
    const cti = ctiOf(await tokenFor(companion, ONE));
    const elsewhere = ctiOf(await tokenFor(owner, TWO));
    service.advance(600);
    await attach(owner, 2);
    expect((await attach(owner, 1, ONE, { cti })).status).toBe(200);
    expect((await attach(owner, 2, ONE, { cti: elsewhere })).status).toBe(200);
    expectError(await attach(companion, 1, ONE, { cti }), "stale_attachment");
  });
});
