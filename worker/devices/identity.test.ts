import { eq, inArray } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { EndpointName } from "../../core/api/index.ts";
import { fromBase64, fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { readCertificate, spkiThumbprint } from "../../core/pki/certificate.ts";
import { toPem } from "../../core/pki/pem.ts";
import demoTagCa from "../../db/demo/tag-ca.json" with { type: "json" };
import { deviceAliases, devices, deviceTicketLocks } from "../../db/schema.ts";
import { guestSession, staffSession, startWithTwoGuests, type TestSession } from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { expectError, startClean, type TestService } from "../test-support/service.ts";
import { signTagStatement, tagCertificateOf } from "../test-support/signing-tag.ts";
import { deviceNames, importTagKey, keyHashOf, keyOf, keyOfSpki, NO_KEY, storedKey } from "./identity.ts";

/** What the service knows of tags, and under which names (rules §5, "Device identity"). */

const TAG = "ebt-21-0001";
const MAC = "A4:C1:38:0B:6E:2F";
const GUID = "123e4567-e89b-12d3-a456-426614174000";
const FOREIGN_DIGEST = toBase64Url(new Uint8Array(32).fill(7));

let service: TestService;
let guest: TestSession;
let stranger: TestSession;
beforeEach(async () => {
  ({ service, guest, stranger } = await startWithTwoGuests());
});

const attach = (session: TestSession, device: object, baggageId = 1) =>
  session.call("deviceAttachment", { device, baggageId });
const authorize = (session: TestSession, uniqueDeviceId: string, fields: object = {}) =>
  session.call("ebtAuthorization", { uniqueDeviceId, nonce: "n", ...fields });
const look = async (session: TestSession, uniqueDeviceId: string) =>
  (await session.call("ebtLookup", { uniqueDeviceId })).body;
const deviceOf = async (id: string) => (await service.db.select().from(devices).where(eq(devices.id, id)))[0];

it("a tag CA's certificate counts only for ids that it may name", async () => {
  const other = toPem(service.settings.ca.root);
  const demo = toPem(fromBase64(demoTagCa.certificate));
  const bound = await startClean({
    ENVIRONMENT: "production",
    TAG_ROOTS: `${demo}${other}`,
    TAG_ROOT_IDS: '[["EBT-21-0001"], ["acme-"]]',
  });
  await bound.db.update(devices).set({ gattVersion: null, tagSpkiHash: null, tagKey: null });
  const caller = await guestSession(bound);
  const ask = async (uniqueDeviceId: string) => {
    const tagCertificate = tagCertificateOf(uniqueDeviceId);
    const request = { uniqueDeviceId, nonce: "n", tagCertificate, gattVersion: "2.0" };
    return (await caller.call("ebtAuthorization", request)).status;
  };
  expect([await ask("ebt-21-0001"), await ask("ebt-21-0002")]).toEqual([409, 200]);
  const { tagRootIds } = (await bound.fetch("/.well-known/ebt-configuration")).body;
  expect(tagRootIds).toEqual([["EBT-21-0001"], ["acme-"]]);
});

describe("a tag proven to speak v2.1", () => {
  const forget = () =>
    service.db
      .update(devices)
      .set({ gattVersion: null, tagSpkiHash: null })
      .where(inArray(devices.id, [TAG]));
  const certificate = { tagCertificate: tagCertificateOf(TAG) };

  it("is refused v2.0 in every spelling of its id", async () => {
    await attach(guest, { uniqueID: TAG, guid: GUID, mac: MAC });
    for (const name of [TAG, ` ${TAG.toUpperCase()}`]) {
      expectError(await authorize(guest, name, { gattVersion: "2.0" }), "gatt_version_refused");
    }
  });

  it("stays one where the request that proved it is then refused for its content", async () => {
    await forget();
    const fields = { ...certificate, baggageId: 1, payloadDigest: FOREIGN_DIGEST };
    expectError(await authorize(guest, TAG, fields), "payload_mismatch");
    expect(await deviceOf(TAG)).toMatchObject({ gattVersion: "2.1", tagKey: expect.any(String) });
    expectError(await authorize(guest, TAG, { gattVersion: "2.0" }), "gatt_version_refused");
  });
});

describe("every name of a locked tag", () => {
  const names = [
    ...["Tag-Ä", " tag-a\u0308 ", MAC, "a4-c1-38-0b-6e-2f", "a4c1380b6e2f"],
    ...[GUID.toUpperCase(), GUID.replaceAll("-", "")],
  ];
  beforeEach(async () => {
    await attach(guest, { uniqueID: "Tag-Ä", guid: GUID, mac: MAC });
  });

  it.each<[EndpointName, object, number]>([
    ["ebtAuthorization", { nonce: "n" }, 403],
    ["ebtUnlock", {}, 403],
    ["deviceLoss", { lost: true }, 403],
    ["ebtCustodyProof", { recordLocator: "ABC123", surname: "LOVELACE" }, 200],
  ])("is the tag to %s", async (endpoint, fields, status) => {
    for (const uniqueDeviceId of names) {
      const answer = await stranger.call(endpoint, { uniqueDeviceId, ...fields });
      expect([uniqueDeviceId, answer.status]).toEqual([uniqueDeviceId, status]);
      if (status === 200) await attach(guest, { uniqueID: "Tag-Ä" });
    }
  });

  it("is the tag to a release by staff", async () => {
    const staff = await staffSession(service);
    for (const uniqueDeviceId of names) {
      await staff.call("lockRelease", { uniqueDeviceId, reason: "found" });
      expect(await service.db.select().from(deviceTicketLocks)).toEqual([]);
      await attach(guest, { uniqueID: "Tag-Ä" });
    }
  });
});

it("a tag without any name is none", () => {
  expect(() => deviceNames({ uniqueID: " ", mac: "" })).toThrow("required_info_not_provided");
});

/** Names are claims: a merge would let a caller who claims that two tags are one take a tag from its holder. */
describe("a tag first attached by its MAC alone, and later by uniqueID and MAC", () => {
  beforeEach(async () => {
    await attach(guest, { mac: MAC });
  });

  it("is two: a name that is a tag of its own is no free alias", async () => {
    expect((await attach(stranger, { uniqueID: "tag-x", mac: MAC }, 3)).status).toBe(200);
    expect(await service.db.select().from(deviceAliases)).toEqual([]);
    expect(await look(guest, MAC)).toMatchObject({ locked: true, sameTravelPlan: true });
    expect(await look(stranger, "tag-x")).toMatchObject({ locked: true, sameTravelPlan: true });
    expect(await look(stranger, MAC)).toMatchObject({ sameTravelPlan: false });
  });

  it("stays two for its holder, who may free either by its name", async () => {
    await attach(guest, { uniqueID: "tag-x", mac: MAC });
    expect((await guest.call("ebtUnlock", { uniqueDeviceId: "tag-x" })).status).toBe(200);
    expect(await look(guest, MAC)).toMatchObject({ locked: true });
    expect((await guest.call("ebtUnlock", { uniqueDeviceId: MAC })).status).toBe(200);
    expect(await service.db.select().from(deviceTicketLocks)).toEqual([]);
  });

  it("is one where uniqueID and MAC came first, also when the MAC comes alone later", async () => {
    const other = { uniqueID: "tag-y", mac: "02:00:00:00:00:01" };
    await attach(guest, other);
    expectError(await attach(stranger, { mac: other.mac }, 3), "device_locked");
    expect((await attach(guest, { mac: other.mac })).status).toBe(200);
    expect(await deviceOf("hw:020000000001")).toBeUndefined();
  });
});

const spki = readCertificate(fromBase64(tagCertificateOf(TAG))).spki;
const hash = toBase64Url(await spkiThumbprint(spki));
const TODAYS = storedKey(keyOfSpki(spki));
const OLDER = { ...NO_KEY, tagSpkiHash: hash, tagSpki: toBase64Url(spki) };

const P256 = { name: "ECDSA", namedCurve: "P-256" };
const newPair = async () => (await crypto.subtle.generateKey(P256, true, ["sign"])) as CryptoKeyPair;
const spkiOf = async (key: CryptoKey) =>
  new Uint8Array((await crypto.subtle.exportKey("spki", key)) as ArrayBuffer);

it("the key of a tag is the compressed point, for either parity, and gives the whole key back", async () => {
  const signs = new Set<string>();
  while (signs.size < 2) {
    const { publicKey } = await newPair();
    const whole = await spkiOf(publicKey);
    const key = keyOfSpki(whole);
    expect(key).toMatch(/^A[\w-]{43}$/);
    expect(await spkiOf(await importTagKey(key))).toEqual(whole);
    signs.add(toBase64Url(fromBase64Url(key).slice(0, 1)));
  }
});

it.each([
  ["today's", TODAYS],
  ["the older", OLDER],
])("the key of a tag gives %s form's key and hash", async (_, stored) => {
  expect(keyOf(stored)).toBe(keyOfSpki(spki));
  expect(await keyHashOf(stored)).toBe(hash);
});

it("the key of a tag is unknown where a row has its hash alone, or nothing", async () => {
  const listed = { ...NO_KEY, tagSpkiHash: hash };
  expect([keyOf(listed), await keyHashOf(listed)]).toEqual([null, hash]);
  expect([keyOf(NO_KEY), await keyHashOf(NO_KEY)]).toEqual([null, null]);
});

const storedOf = ({ tagKey, tagSpkiHash, tagSpki }: typeof devices.$inferSelect) => ({
  ...{ tagKey, tagSpkiHash, tagSpki },
});

it.each([
  ["today's", TODAYS],
  ["the older", OLDER],
])(
  "the key of a tag verifies a tag's statement with %s form, alone, and is left in today's",
  async (_, stored) => {
    const row = async () => (await deviceOf(TAG)) as typeof devices.$inferSelect;
    await changeRow(service.db, devices, TAG, { ...stored, label: TAG });
    await stranger.call("ebtLookup", { uniqueDeviceId: TAG });
    expect(storedOf(await row())).toEqual(stored);

    const attachment = {
      device: { uniqueID: TAG },
      baggageId: 1,
      tagStatement: await signTagStatement(TAG, {}),
    };
    const certified = { ...attachment, tagCertificate: tagCertificateOf("ebt-21-0002") };
    expect((await guest.call("deviceAttachment", attachment)).status).toBe(200);
    expect(await row()).toMatchObject({ ...TODAYS, commits: expect.any(Number), label: "" });
    expectError(await stranger.call("deviceAttachment", certified), "device_locked");
    expect(storedOf(await row())).toEqual(TODAYS);
  },
);

it.each([
  ["today's", storedKey(keyOfSpki(readCertificate(fromBase64(tagCertificateOf("ebt-21-0002"))).spki))],
  [
    "the older",
    { ...OLDER, tagSpki: toBase64Url(readCertificate(fromBase64(tagCertificateOf("ebt-21-0002"))).spki) },
  ],
])("the key of a tag refuses a certificate of another key than the one in %s form", async (_, stored) => {
  await changeRow(service.db, devices, TAG, { ...stored, gattVersion: null });
  const fields = { gattVersion: "2.0", tagCertificate: tagCertificateOf(TAG) };
  expect((await authorize(guest, TAG, fields)).status).toBe(200);
  expect(await deviceOf(TAG)).toMatchObject({ ...stored, gattVersion: null });
});
