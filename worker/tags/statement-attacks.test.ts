import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, devices, deviceTicketLocks } from "../../db/schema.ts";
import { guestSession, subOf, type TestSession, withBookings } from "../test-support/logins.ts";
import { expectError, startClean, type TestService } from "../test-support/service.ts";
import {
  type StatementFields,
  signCommit,
  signTagStatement,
  tagCertificateOf,
  tokenFor,
} from "../test-support/signing-tag.ts";

/** Attacks with statements, and their effect on a lock (protocol.md, Statement; rules §5). */

const TAG = "ebt-21-0001";
const OTHER = "ebt-21-0002";
const CERTIFICATE = tagCertificateOf(TAG);

let service: TestService;
/** Has loaded the booking of bags 1 and 2. */
let owner: TestSession;
/** Has loaded the booking of bag 3. */
let squatter: TestSession;
/** Has loaded nothing. */
let stranger: TestSession;

beforeEach(async () => {
  service = await startClean({ ACCESS_TOKEN_SECONDS: "2e9" });
  owner = await withBookings(service, await guestSession(service), ["demo-plan-1"]);
  squatter = await withBookings(service, await guestSession(service), ["demo-plan-2"]);
  stranger = await guestSession(service);
});

const withStatement = (tagStatement?: string) => ({
  tagCertificate: CERTIFICATE,
  ...(tagStatement && { tagStatement }),
});
const attach = (session: TestSession, baggageId: number, statement?: string) =>
  session.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId, ...withStatement(statement) });
const token = (session: TestSession, statement?: string) =>
  session.call("ebtAuthorization", { uniqueDeviceId: TAG, nonce: "n", ...withStatement(statement) });
const look = async (session: TestSession) =>
  (await session.call("ebtLookup", { uniqueDeviceId: TAG, tagCertificate: CERTIFICATE })).body;
const challenge = async (session: TestSession): Promise<string> => (await look(session)).tagChallenge;
const theLock = async () => (await service.db.select().from(deviceTicketLocks))[0];
const theTag = async () => (await service.db.select().from(devices).where(eq(devices.id, TAG)))[0];
const events = async () => (await service.db.select().from(auditLog)).map(({ event }) => event);

/** Writes the tag as `session`, as commit number `commits`; returns what signs its statement. */
const write = async (session: TestSession, commits: number) => {
  const taken = await tokenFor(session, TAG);
  return (more: StatementFields = {}) => signCommit(TAG, taken, commits, more);
};
/** The statement of `sign` over the challenge that `session` gets now. */
const inHandOf = async (session: TestSession, sign: (more?: StatementFields) => Promise<string>) =>
  sign({ challenge: await challenge(session) });

describe("a statement counts for nothing", () => {
  let sign: (more?: StatementFields) => Promise<string>;
  beforeEach(async () => {
    sign = await write(owner, 1);
    expect((await attach(owner, 1, await sign())).status).toBe(200);
    expect(await theLock()).toMatchObject({ commits: 1 });
  });
  const VOIDING = { commits: 9, cti: null, mark: null, operation: null } as const;

  it.each<[string, string, () => Promise<string>]>([
    ["forged with another tag's key", "signature", () => signTagStatement(TAG, VOIDING, OTHER)],
    ["of another tag", "another tag", () => signTagStatement(OTHER, VOIDING)],
    ["about another tag, with this one's key", "another tag", () => signTagStatement(OTHER, VOIDING, TAG)],
    ["garbled", "signature", async () => (await signTagStatement(TAG, VOIDING)).replace(/.{4}$/, "AAAA")],
    ["no statement at all", "malformed", async () => "AAAA"],
  ])("that is %s, and is audited with the reason: %s", async (_, reason, make) => {
    const before = await theLock();
    expectError(await token(stranger, await make()), "custody_proof_required");
    expect(await theLock()).toEqual(before);
    expect(await theTag()).toMatchObject({ commits: 1 });
    const [refused] = await service.db
      .select()
      .from(auditLog)
      .where(eq(auditLog.event, "tag_statement_refused"));
    expect(refused).toMatchObject({ reason, deviceId: TAG, sub: subOf(stranger) });
  });

  it("that shows a challenge made for another caller or another lock", async () => {
    const theirs = await challenge(stranger);
    const answer = await signTagStatement(TAG, { challenge: theirs });
    await service.db.update(deviceTicketLocks).set({ commits: null });
    await service.db.update(devices).set({ commits: null });
    expectError(await token(squatter, answer), "custody_proof_required");
    await attach(owner, 2);
    expectError(await token(stranger, answer), "custody_proof_required");
    const ofThisLock = await signTagStatement(TAG, { challenge: await challenge(stranger) });
    service.advance(601);
    expectError(await token(stranger, ofThisLock), "custody_proof_required");
    expect(await theLock()).toMatchObject({ baggageId: 2 });
  });

  it("under a certificate that is another tag's: the registered key reads it, and no alarm is raised", async () => {
    const later = await write(owner, 2);
    const input = { uniqueDeviceId: TAG, nonce: "n", tagStatement: await later() };
    await owner.call("ebtAuthorization", { ...input, tagCertificate: tagCertificateOf(OTHER) });
    expect(await theLock()).toMatchObject({ commits: 2 });
    expect(await events()).not.toContain("tag_key_changed");
  });

  it("of a tag outside a closed registry: a certificate alone registers none", async () => {
    const closed = await startClean({ DEVICE_REGISTRY: "closed" });
    await closed.db.delete(devices).where(eq(devices.id, TAG));
    const guest = await guestSession(closed);
    const input = { uniqueDeviceId: TAG, nonce: "n", ...withStatement(await signTagStatement(TAG)) };
    expectError(await guest.call("ebtAuthorization", input), "device_not_found");
    const attachment = {
      device: { uniqueID: TAG },
      baggageId: 1,
      ...withStatement(await signTagStatement(TAG)),
    };
    expectError(await guest.call("deviceAttachment", attachment), "device_not_found");
    expect(await closed.db.select().from(devices).where(eq(devices.id, TAG))).toEqual([]);
  });
});

it("a hostile crowd that loads one booking on very many phones makes no statement expensive", async () => {
  const crowd = Array.from({ length: 3_000 }, (_, i) => `crowd-${i}`);
  await service.db.run(
    `insert into loaded_plans (sub, plan_id, loaded_at) select value, 'demo-plan-2', 1 from json_each('${JSON.stringify(crowd)}')`,
  );
  const sign = await write(owner, 1);
  await attach(squatter, 3);
  expect((await token(owner, await inHandOf(owner, sign))).status).toBe(200);
  expect(service.log.at(-1)).toMatchObject({ calls: 2 });
  expect(Number(service.log.at(-1)?.rowsRead)).toBeLessThan(1_500);
});
