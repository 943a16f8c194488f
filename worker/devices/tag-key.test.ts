import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { fromBase64, fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { readCertificate, spkiThumbprint } from "../../core/pki/certificate.ts";
import { devices } from "../../db/schema.ts";
import { startWithTwoGuests } from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { expectError } from "../test-support/service.ts";
import { signTagStatement, tagCertificateOf } from "../test-support/signing-tag.ts";
import { importTagKey, keyHashOf, keyOf, keyOfSpki, NO_KEY, storedKey } from "./identity.ts";

/** Both forms of a tag's key, in rows and beside each other. */

const TAG = "ebt-21-0001";
const spki = readCertificate(fromBase64(tagCertificateOf(TAG))).spki;
const hash = toBase64Url(await spkiThumbprint(spki));
const TODAYS = storedKey(keyOfSpki(spki));
const OLDER = { ...NO_KEY, tagSpkiHash: hash, tagSpki: toBase64Url(spki) };

const P256 = { name: "ECDSA", namedCurve: "P-256" };
const newPair = async () => (await crypto.subtle.generateKey(P256, true, ["sign"])) as CryptoKeyPair;
const spkiOf = async (key: CryptoKey) =>
  new Uint8Array((await crypto.subtle.exportKey("spki", key)) as ArrayBuffer);

it("is the compressed point, for either parity, and gives the whole key back", async () => {
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
])("gives %s form's key and hash", async (_, stored) => {
  expect(keyOf(stored)).toBe(keyOfSpki(spki));
  expect(await keyHashOf(stored)).toBe(hash);
});

it("is unknown where a row has its hash alone, or nothing", async () => {
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
])("verifies a tag's statement with %s form, alone, and is left in today's", async (_, stored) => {
  const { service, guest, stranger } = await startWithTwoGuests();
  const row = async () => {
    const [found] = await service.db.select().from(devices).where(eq(devices.id, TAG));
    return found as NonNullable<typeof found>;
  };
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
});

it.each([
  ["today's", storedKey(keyOfSpki(readCertificate(fromBase64(tagCertificateOf("ebt-21-0002"))).spki))],
  [
    "the older",
    { ...OLDER, tagSpki: toBase64Url(readCertificate(fromBase64(tagCertificateOf("ebt-21-0002"))).spki) },
  ],
])("refuses a certificate of another key than the one in %s form", async (_, stored) => {
  const { service, guest } = await startWithTwoGuests();
  await changeRow(service.db, devices, TAG, { ...stored, gattVersion: null });
  const tokenRequest = {
    uniqueDeviceId: TAG,
    nonce: "n",
    gattVersion: "2.0",
    tagCertificate: tagCertificateOf(TAG),
  };
  expect((await guest.call("ebtAuthorization", tokenRequest)).status).toBe(200);
  const [row] = await service.db.select().from(devices).where(eq(devices.id, TAG));
  expect(row).toMatchObject({ ...stored, gattVersion: null });
});
