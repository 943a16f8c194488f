import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { devices, deviceTicketLocks, loadedPlans } from "../../db/schema.ts";
import { subOf, withBookings } from "../test-support/bookings.ts";
import { startWithCleanTags } from "../test-support/clean-tags.ts";
import { expectError } from "../test-support/expect-error.ts";
import { guestSession, staffSession, type TestSession } from "../test-support/logins.ts";
import type { TestService } from "../test-support/service.ts";
import {
  ctiOf,
  type StatementFields,
  signCommit,
  signTagStatement,
  tagCertificateOf,
  tokenFor,
} from "../test-support/signing-tag.ts";

/** Reports that come late, twice or in the wrong order (rules §5, "Late reports"). */

/** Signs statements. */
const TAG = "ebt-21-0001";
/** Cannot sign. */
const PLAIN = "ebt-20-0005";
const HOUR = 3_600;
const DAY = 24 * HOUR;

let service: TestService;
/** Has loaded the booking of bags 1 and 2. */
let owner: TestSession;
/** Has loaded that of bag 3. */
let other: TestSession;

const person = async (...plans: readonly string[]) => {
  const session = await guestSession(service);
  return plans.length === 0 ? session : withBookings(service, session, plans);
};
beforeEach(async () => {
  service = await startWithCleanTags({ ACCESS_TOKEN_SECONDS: "2e9" });
  [owner, other] = [await person("demo-plan-1"), await person("demo-plan-2")];
});

const attach = (session: TestSession, baggageId: number, more: object = {}, uniqueID = TAG) => {
  const certificate = uniqueID === TAG ? { tagCertificate: tagCertificateOf(TAG) } : {};
  return session.call("deviceAttachment", { device: { uniqueID }, baggageId, ...certificate, ...more });
};
const token = (session: TestSession, more: object = {}, uniqueDeviceId = TAG) =>
  session.call("ebtAuthorization", { uniqueDeviceId, nonce: "n", ...more });
const look = async (session: TestSession, uniqueDeviceId = TAG) =>
  (await session.call("ebtLookup", { uniqueDeviceId })).body;
const theLock = async () => (await service.db.select().from(deviceTicketLocks))[0];

/** A commit at the tag that signs: its statement, and the cti of its token. */
async function commit(session: TestSession, commits: number, operation: "write" | "clear" = "write") {
  const taken = await tokenFor(session, TAG);
  const statement = (more: StatementFields = {}) => signCommit(TAG, taken, commits, { operation, ...more });
  return { cti: ctiOf(taken), statement };
}

describe("an attachment reported after hours offline", () => {
  it("locks the tag, proven, as if it had been reported at once", async () => {
    const { statement } = await commit(owner, 1);
    service.advance(20 * HOUR);
    expect((await attach(owner, 1, { tagStatement: await statement() })).status).toBe(200);
    expect(await theLock()).toMatchObject({ entitled: true, commits: 1 });
  });

  it("locks a tag that cannot sign, where it was not attached since", async () => {
    const cti = ctiOf(await tokenFor(owner, PLAIN));
    service.advance(20 * HOUR);
    expect((await attach(owner, 1, { cti }, PLAIN)).status).toBe(200);
  });

  it("disproves the lock of a claimant with an older write, made in between", async () => {
    const [mine, theirs] = [await commit(owner, 2), await commit(other, 1)];
    await attach(other, 3, { tagStatement: await theirs.statement() });
    expect((await attach(owner, 1, { tagStatement: await mine.statement() })).status).toBe(200);
    expect(await theLock()).toMatchObject({ planId: "demo-plan-1", commits: 2 });
  });
});

describe("a database that was restored to an earlier time", () => {
  it("has lost a lock: its holder's phone reports again, and the tag's statement proves it", async () => {
    const { statement } = await commit(owner, 3);
    await attach(owner, 1, { tagStatement: await statement() });
    await service.db.delete(deviceTicketLocks);
    await service.db.update(devices).set({ commits: null, spentCommits: 0 }).where(eq(devices.id, TAG));
    expect((await attach(owner, 1, { tagStatement: await statement() })).status).toBe(200);
    expect(await theLock()).toMatchObject({ commits: 3 });
  });

  it("has a lock again that was cleared: the tag in hand disproves it", async () => {
    const written = await commit(owner, 1);
    await attach(owner, 1, { tagStatement: await written.statement() });
    const cleared = await commit(owner, 2, "clear");
    expect((await token(other, { tagStatement: await cleared.statement() })).status).toBe(200);
    expect(await look(owner)).toMatchObject({ locked: false, lockEnded: { reason: "voided" } });
  });
});

describe("the same person or party on another device", () => {
  it("deleted browser data before the attachment was reported: the write still proves the new session's lock", async () => {
    const { statement } = await commit(owner, 1);
    const again = await person("demo-plan-1");
    await attach(again, 1);
    const { tagChallenge: challenge } = await look(other);
    const present = { tagStatement: await statement({ challenge }) };
    expectError(await token(other, present), "custody_proof_required");
    expect(await theLock()).toMatchObject({ holderSub: subOf(again), commits: 1 });
    expect(await service.db.$count(loadedPlans, eq(loadedPlans.sub, subOf(owner)))).toBe(1);
  });
});

describe("a tag that changes hands", () => {
  it("sold with the seller's label on it, is the buyer's by proof, by staff, or in a fortnight", async () => {
    const { statement } = await commit(owner, 1);
    await attach(owner, 1, { tagStatement: await statement() });
    expectError(await token(other), "custody_proof_required");
    const { tagChallenge: challenge } = await look(other);
    expectError(
      await token(other, { tagStatement: await statement({ challenge }) }),
      "custody_proof_required",
    );
    service.advance(14 * DAY);
    expect((await token(other)).status).toBe(200);
  });

  it("attached by the seller from afar once it is sold, is the buyer's within one connection", async () => {
    await attach(owner, 1);
    const { tagChallenge: challenge } = await look(other);
    expect((await token(other, { tagStatement: await signTagStatement(TAG, { challenge }) })).status).toBe(
      200,
    );
  });

  it("lent to another airline's passenger, is released by that airline's staff with the tag in hand", async () => {
    const { statement } = await commit(other, 1);
    await attach(other, 3, { tagStatement: await statement() });
    const staff = await staffSession(service);
    const reason = "handed over";
    expectError(await staff.call("lockRelease", { uniqueDeviceId: TAG, reason }), "insufficient_scope");
    const { tagChallenge: challenge } = await look(staff);
    const inHand = { tagStatement: await statement({ challenge }) };
    expect((await staff.call("lockRelease", { uniqueDeviceId: TAG, reason, ...inHand })).status).toBe(200);
    expect((await attach(owner, 1)).status).toBe(200);
  });
});
