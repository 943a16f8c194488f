import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { fromBase64Url, toHex } from "../../core/encoding/bytes.ts";
import { auditLog, deviceAliases, devices, deviceTicketLocks } from "../../db/schema.ts";
import { guestSession, staffSession, subOf, type TestSession, withBookings } from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { expectError, startClean, startService, type TestService } from "../test-support/service.ts";
import {
  ctiOf,
  type StatementFields,
  signCommit,
  signTagStatement,
  tagCertificateOf,
  tokenFor,
} from "../test-support/signing-tag.ts";

/** What a tag's statement proves (which tag, which lock, which writer), attacks with them, and what is cut short (protocol.md, Statement; rules §5). */

const TAG = "ebt-21-0001";
const OTHER = "ebt-21-0002";

let service: TestService;
/** Has loaded the booking of bags 1 and 2. */
let owner: TestSession;
/** Has loaded that of bag 3. */
let other: TestSession;
/** Has loaded nothing. */
let stranger: TestSession;

beforeEach(async () => {
  service = await startClean({ ACCESS_TOKEN_SECONDS: "2e9", ACCESS_LIMITS: "off" });
  owner = await withBookings(service, await guestSession(service), ["demo-plan-1"]);
  other = await withBookings(service, await guestSession(service), ["demo-plan-2"]);
  stranger = await guestSession(service);
});

const certificate = { tagCertificate: tagCertificateOf(TAG) };
const withStatement = (tagStatement: string) => ({ ...certificate, tagStatement });
const attach = (session: TestSession, baggageId: number, more: object = {}, uniqueID = TAG) =>
  session.call("deviceAttachment", { device: { uniqueID }, baggageId, ...more });
const token = (session: TestSession, more: object = {}, uniqueDeviceId = TAG) =>
  session.call("ebtAuthorization", { uniqueDeviceId, nonce: "n", ...more });
const look = async (session: TestSession, more: object = {}, uniqueDeviceId = TAG) =>
  (await session.call("ebtLookup", { uniqueDeviceId, ...more })).body;
const challengeOf = async (session: TestSession): Promise<string> => (await look(session)).tagChallenge;
const theLock = async () => (await service.db.select().from(deviceTicketLocks))[0];
const events = async () => (await service.db.select().from(auditLog)).map(({ event }) => event);
const refused = () => service.db.select().from(auditLog).where(eq(auditLog.event, "tag_statement_refused"));
const deviceOf = async (id: string) => (await service.db.select().from(devices).where(eq(devices.id, id)))[0];
/** With the last byte of its signature changed. */
const forged = (statement: string) => statement.slice(0, -4) + (statement.endsWith("AAAA") ? "BBBB" : "AAAA");
const inHand = async (session: TestSession, taken: string, commits = 1) =>
  signCommit(TAG, taken, commits, { challenge: await challengeOf(session) });

describe("the owner of a free tag's label", () => {
  const asked = async (session: TestSession, tagStatement?: string) =>
    (await token(session, { ...certificate, tagStatement })).body.lastCommit;

  it("is answered to its writer and to others, by the statement of this request alone", async () => {
    const statement = await signCommit(TAG, await tokenFor(owner, TAG), 1);
    expect([await asked(owner, statement), await asked(other, statement)]).toEqual(["own", "other"]);
    expect([await asked(owner), await asked(other)]).toEqual([undefined, undefined]);
    expect(
      await asked(other, await signCommit(TAG, await tokenFor(owner, TAG), 1, {}).then(forged)),
    ).toBeUndefined();
  });

  it("is not known to a look-up", async () => {
    const statement = await signCommit(TAG, await tokenFor(owner, TAG), 1);
    const blank = await look(other, certificate);
    await asked(other, statement);
    expect(await look(other, certificate)).toEqual(blank);
    expect(blank).toEqual({ locked: false, sameTravelPlan: false, requiresCustodyProof: false });
  });
});

describe("a tag's number", () => {
  it("proves the lock of an unknown tag, if its certificate comes with it", async () => {
    await service.db.delete(devices).where(eq(devices.id, TAG));
    const taken = await tokenFor(owner, TAG);
    const tagStatement = await signCommit(TAG, taken, 1);
    expect((await attach(owner, 1, { ...certificate, tagStatement })).status).toBe(200);
    expect(await theLock()).toMatchObject({ commits: 1, cti: toHex(fromBase64Url(ctiOf(taken))) });
  });

  it("of a tag with an unknown key is ignored, and the request is decided without it", async () => {
    await changeRow(service.db, devices, TAG, { tagKey: null, tagSpkiHash: null });
    const taken = await tokenFor(owner, TAG);
    expect((await attach(owner, 1, { tagStatement: await signCommit(TAG, taken, 1) })).status).toBe(200);
    expect(await theLock()).toMatchObject({ commits: null });
    expect(await refused()).toMatchObject([{ reason: "no key" }]);
  });
});

describe("a certificate of another key than the registered one", () => {
  it("raises the alarm, and what came with it counts for nothing", async () => {
    await changeRow(service.db, devices, TAG, { tagSpkiHash: "registered" });
    const taken = await tokenFor(owner, TAG);
    await attach(owner, 1, { ...certificate, tagStatement: await signCommit(TAG, taken, 1) });
    expect(await theLock()).toMatchObject({ commits: null });
    const alarms = await service.db.select().from(auditLog).where(eq(auditLog.event, "tag_key_changed"));
    expect(alarms).toMatchObject([{ deviceId: TAG, reason: "another key" }]);
  });

  it("or a first one, touches no other tag's names", async () => {
    await owner.call("deviceAttachment", {
      device: { uniqueID: "plain", mac: "A4:C1:38:0B:6E:2F" },
      baggageId: 1,
    });
    await service.db.update(devices).set({ gattVersion: null, tagKey: null, tagSpkiHash: null });
    expect((await token(other, certificate)).status).toBe(200);
    expect(await deviceOf(TAG)).toMatchObject({ gattVersion: "2.1" });
    expect(await service.db.select().from(deviceAliases)).toMatchObject([{ deviceId: "plain" }]);
  });
});

describe("the statement of a tag in hand", () => {
  it("proves it for its last writer as well, however many have loaded the booking before them", async () => {
    await attach(owner, 1);
    const crowd = JSON.stringify(Array.from({ length: 300 }, (_, i) => `crowd-${i}`));
    await service.db.run(
      `insert into loaded_plans (sub, plan_id, loaded_at) select value, 'demo-plan-1', 1 from json_each('${crowd}')`,
    );
    const companion = await withBookings(service, await guestSession(service), ["demo-plan-1"]);
    await attach(companion, 2);
    const taken = await tokenFor(companion, TAG);
    const present = { ...certificate, tagStatement: await inHand(other, taken) };
    expectError(await token(other, present), "custody_proof_required");
    expect(await theLock()).toMatchObject({ commits: 1, baggageId: 2 });
  });

  it("decides nothing once the key of its token is gone", async () => {
    const taken = await tokenFor(owner, TAG);
    service.advance(60);
    const since = Math.floor(service.now() / 1_000);
    const [, secret] = String(env.CTI_KEYS).split(/[\s.]+/);
    const rotated = await startService({ ACCESS_TOKEN_SECONDS: "2e9", CTI_KEYS: `${since}.${secret}` });
    rotated.advance(60);
    const passer = await guestSession(rotated);
    await attach(owner, 1);
    const present = { ...certificate, tagStatement: await inHand(passer, taken) };
    expectError(await token(passer, present), "custody_proof_required");
    expect(await theLock()).toMatchObject({ planId: "demo-plan-1", commits: null });
  });

  it("is asked for where the tag can sign, by its registered key or by the certificate it shows", async () => {
    await attach(owner, 1);
    expect(await look(other)).toHaveProperty("tagChallenge");
    await service.db.update(devices).set({ tagKey: null, tagSpkiHash: null });
    expect(await look(other)).not.toHaveProperty("tagChallenge");
    expect(await look(other, certificate)).toHaveProperty("tagChallenge");
  });
});

/** Writes the tag as `session`, as commit number `commits`; returns what signs its statement. */
const write = async (session: TestSession, commits: number) => {
  const taken = await tokenFor(session, TAG);
  return (more: StatementFields = {}) => signCommit(TAG, taken, commits, more);
};

describe("a statement counts for nothing", () => {
  let sign: (more?: StatementFields) => Promise<string>;
  beforeEach(async () => {
    sign = await write(owner, 1);
    expect((await attach(owner, 1, withStatement(await sign()))).status).toBe(200);
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
    expectError(await token(stranger, withStatement(await make())), "custody_proof_required");
    expect(await theLock()).toEqual(before);
    expect(await deviceOf(TAG)).toMatchObject({ commits: 1 });
    expect(await refused()).toMatchObject([{ reason, deviceId: TAG, sub: subOf(stranger) }]);
  });

  it("that shows a challenge made for another caller or another lock", async () => {
    const theirs = await challengeOf(stranger);
    const answer = await signTagStatement(TAG, { challenge: theirs });
    await service.db.update(deviceTicketLocks).set({ commits: null });
    await service.db.update(devices).set({ commits: null });
    expectError(await token(other, withStatement(answer)), "custody_proof_required");
    await attach(owner, 2);
    expectError(await token(stranger, withStatement(answer)), "custody_proof_required");
    const ofThisLock = await signTagStatement(TAG, { challenge: await challengeOf(stranger) });
    service.advance(601);
    expectError(await token(stranger, withStatement(ofThisLock)), "custody_proof_required");
    expect(await theLock()).toMatchObject({ baggageId: 2 });
  });

  it("under a certificate that is another tag's: the registered key reads it, and no alarm is raised", async () => {
    const later = await write(owner, 2);
    await token(owner, { tagStatement: await later(), tagCertificate: tagCertificateOf(OTHER) });
    expect(await theLock()).toMatchObject({ commits: 2 });
    expect(await events()).not.toContain("tag_key_changed");
  });

  it("of a tag outside a closed registry: a certificate alone registers none", async () => {
    const closed = await startClean({ DEVICE_REGISTRY: "closed" });
    await closed.db.delete(devices).where(eq(devices.id, TAG));
    const guest = await guestSession(closed);
    expectError(await token(guest, withStatement(await signTagStatement(TAG))), "device_not_found");
    expectError(await attach(guest, 1, withStatement(await signTagStatement(TAG))), "device_not_found");
    expect(await closed.db.select().from(devices).where(eq(devices.id, TAG))).toEqual([]);
  });
});

it("a hostile crowd that loads one booking on very many phones makes no statement expensive", async () => {
  const crowd = Array.from({ length: 3_000 }, (_, i) => `crowd-${i}`);
  await service.db.run(
    `insert into loaded_plans (sub, plan_id, loaded_at) select value, 'demo-plan-2', 1 from json_each('${JSON.stringify(crowd)}')`,
  );
  const sign = await write(owner, 1);
  await attach(other, 3);
  expect(
    (await token(owner, withStatement(await sign({ challenge: await challengeOf(owner) })))).status,
  ).toBe(200);
  expect(service.log.at(-1)).toMatchObject({ calls: 2 });
  expect(Number(service.log.at(-1)?.rowsRead)).toBeLessThan(1_500);
});

/** Beginnings of `text` whose length has any remainder of four, and `text` with last characters that leave bits over. */
const cuts = (text: string) => [
  ...Array.from({ length: Math.ceil(text.length / 13) }, (_, index) => text.slice(0, index * 13)),
  ...[1, 2, 3, 4].map((less) => text.slice(0, -less)),
  ...[..."BCDE"].map((last) => `${text.slice(0, -1)}${last}`).filter((one) => one !== text),
];

const ENDPOINTS = {
  ebtAuthorization: { uniqueDeviceId: TAG, nonce: "n" },
  deviceAttachment: { device: { uniqueID: TAG }, baggageId: 1 },
  ebtUnlock: { uniqueDeviceId: TAG },
} as const;

describe.each(Object.entries(ENDPOINTS))("%s", (endpoint, body) => {
  const send = (more: object) => owner.call(endpoint as keyof typeof ENDPOINTS, { ...body, ...more });

  it("takes a statement that was cut anywhere as absent", async () => {
    const statement = await signTagStatement(TAG);
    const answers = new Set<number>();
    for (const tagStatement of cuts(statement)) {
      answers.add((await send(withStatement(tagStatement))).status);
    }
    expect([...answers]).toEqual([200]);
    const reasons = new Set((await service.db.select().from(auditLog)).map(({ reason }) => reason));
    expect(reasons).toContain("malformed");
  });

  it("takes a certificate that was cut anywhere as absent", async () => {
    const answers = new Set<number>();
    for (let length = 0; length < certificate.tagCertificate.length; length += 61) {
      const tagCertificate = certificate.tagCertificate.slice(0, length).replace(/=+$/, "");
      answers.add((await send({ tagCertificate })).status);
    }
    expect([...answers]).toEqual([200]);
  });
});

it("a release takes a statement that was cut as absent", async () => {
  const staff = await staffSession(service);
  const statement = await signTagStatement(TAG);
  for (const tagStatement of cuts(statement).slice(-8)) {
    const { status } = await staff.call("lockRelease", {
      uniqueDeviceId: TAG,
      reason: "cut",
      tagStatement,
      ...certificate,
    });
    expect(status).toBe(200);
  }
});
