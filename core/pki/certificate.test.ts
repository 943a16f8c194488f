import { beforeAll, describe, expect, it } from "vitest";
import { type Bytes, concat, copyBytes, fromHex, toHex, utf8 } from "../encoding/bytes.ts";
import { onlyValue, readValues, valuesOf } from "../encoding/der.ts";
import { readCertificate } from "./certificate.ts";
import { verifyChain } from "./chain.ts";
import { EKU_CLIENT } from "./profiles.ts";
import { NOW, type TestPki, testPki } from "./test-support.ts";

/** Certificates that a careless CA might sign: the signature is good, the content is not what it may be. */

let pki: TestPki;
/** The eight parts of the client leaf's tbsCertificate, each whole. */
let parts: readonly Bytes[];

beforeAll(async () => {
  pki = await testPki();
  const [tbs] = valuesOf(onlyValue(pki.clientLeaf));
  parts = valuesOf(tbs).map(({ whole }) => copyBytes(whole));
});

function tlv(tag: number, ...content: readonly Uint8Array[]): Bytes {
  const { length } = concat(...content);
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return concat(Uint8Array.of(tag, ...head), ...content);
}

const hex = fromHex;
const ECDSA_SHA256 = hex("300a06082a8648ce3d040302");

/** A certificate of these parts, signed by the intermediate. */
async function signed(tbsParts: readonly Uint8Array[]): Promise<Bytes> {
  const tbs = tlv(0x30, ...tbsParts);
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const raw = new Uint8Array(await crypto.subtle.sign(algorithm, pki.intermediate.privateKey, tbs));
  const signature = tlv(0x30, integer(raw.subarray(0, 32)), integer(raw.subarray(32)));
  return tlv(0x30, tbs, ECDSA_SHA256, tlv(3, Uint8Array.of(0), signature));
}

function integer(magnitude: Bytes): Bytes {
  const start = magnitude.findIndex((byte) => byte !== 0);
  const significant = magnitude.subarray(start);
  return tlv(2, (significant[0] as number) > 0x7f ? concat(Uint8Array.of(0), significant) : significant);
}

const verify = (leaf: Bytes) =>
  verifyChain({
    chain: [leaf, pki.intermediate.certificate],
    anchors: [pki.root.certificate],
    eku: EKU_CLIENT,
    at: NOW,
  });

/** The leaf's parts with one replaced; two values in place of one, none where it is left out. */
const replaced = (index: number, ...values: readonly Bytes[]) => parts.toSpliced(index, 1, ...values);

const VERSION = 0;
const SERIAL = 1;
const ALGORITHM = 2;
const VALIDITY = 4;
const SUBJECT = 5;
const SPKI = 6;
const EXTENSIONS = 7;

const utc = (text: string) => tlv(0x17, utf8(text));
const generalized = (text: string) => tlv(0x18, utf8(text));
const FROM = utc("260601120000Z");
const TO = utc("260608120000Z");
const validity = (from: Bytes, to: Bytes) => () => replaced(VALIDITY, tlv(0x30, from, to));

/** The leaf's extensions, each whole: basic constraints, key usage, extended key usage, authority key identifier. */
const extensions = () => {
  const [list] = readValues(onlyValue(parts[EXTENSIONS] as Bytes).content);
  return valuesOf(list).map(({ whole }) => copyBytes(whole));
};
const withExtensions = (change: (list: Bytes[]) => readonly Bytes[]) => () => {
  return replaced(EXTENSIONS, tlv(0xa3, tlv(0x30, ...change(extensions()))));
};
const BASIC_CONSTRAINTS = hex("0603551d13");
const KEY_USAGE = hex("0603551d0f");
const CRITICAL = hex("0101ff");
const extension = (...content: readonly Bytes[]) => tlv(0x30, ...content);
/** The leaf with basic constraints, or a key usage, of these parts behind the OID. */
const basicConstraints = (...content: readonly Bytes[]) =>
  withExtensions((list) => list.with(0, extension(BASIC_CONSTRAINTS, ...content)));
const keyUsage = (der: string) =>
  withExtensions((list) => list.with(1, extension(KEY_USAGE, CRITICAL, hex(der))));

it("a leaf put together again here is accepted, so that every refusal below is for its own reason", async () => {
  await expect(verify(await signed(parts))).resolves.toBeDefined();
  const again = withExtensions((list) => list.toReversed())();
  await expect(verify(await signed(again))).resolves.toBeDefined();
});

describe("a well signed leaf is not read", () => {
  it.each<readonly [string, () => readonly Uint8Array[]]>([
    ["of version 1, by leaving the version out", () => replaced(VERSION)],
    ["of version 2", () => replaced(VERSION, hex("a003020101"))],
    ["of version 3 written twice", () => replaced(VERSION, hex("a003020102"), hex("a003020102"))],
    ["with a negative serial number", () => replaced(SERIAL, hex("020180"))],
    ["with a padded serial number", () => replaced(SERIAL, hex("02020001"))],
    ["with a serial number of 21 bytes", () => replaced(SERIAL, tlv(2, new Uint8Array(21).fill(1)))],
    [
      "with another algorithm inside than outside",
      () => replaced(ALGORITHM, hex("300a06082a8648ce3d040303")),
    ],
    ["with parameters for the algorithm", () => replaced(ALGORITHM, hex("300c06082a8648ce3d0403020500"))],
    ["with an empty name", () => replaced(SUBJECT, hex("3000"))],
    ["with a serialNumber in UTF-16", () => replaced(SUBJECT, hex("300d310b300906035504051e020041"))],
    ["with a serialNumber that is not UTF-8", () => replaced(SUBJECT, hex("300c310a300806035504050c01ff"))],
    ["that begins on 30 February", validity(utc("260230120000Z"), TO)],
    ["that begins in a 13th month", validity(utc("261301120000Z"), TO)],
    ["that begins at 24 o'clock", validity(utc("260601240000Z"), TO)],
    ["without seconds", validity(utc("2606011200Z"), TO)],
    ["without a time zone", validity(utc("260601120000"), TO)],
    ["in another time zone", validity(utc("260601120000+0000"), TO)],
    ["with four digits of the year where two belong", validity(generalized("20260601120000Z"), TO)],
    ["with fractions of a second", validity(FROM, generalized("20500601120000.5Z"))],
    ["with a space in its time", validity(utc("2606011200 0Z"), TO)],
    ["with four digits of the year in UTCTime", validity(utc("20260601120000Z"), TO)],
    ["with a year of five digits", validity(FROM, generalized("+0120500601120000Z"))],
    ["with a time that goes on", validity(utc("260601120000Z0"), TO)],
    ["with a time as people write it", validity(FROM, generalized("2050-06-01T12:00:00.000Z"))],
    ["with a third time", () => replaced(VALIDITY, tlv(0x30, FROM, TO, TO))],
    ["without extensions", () => replaced(EXTENSIONS)],
    [
      "with a unique identifier of the issuer",
      () => replaced(EXTENSIONS, hex("81020001"), parts[EXTENSIONS] as Bytes),
    ],
    ...[0, 1, 2, 3, 4, 5, 6].map(
      (length) => [`that ends after ${length} of its parts`, () => parts.slice(0, length)] as const,
    ),
    ["with something after the extensions", () => [...parts, hex("0500")]],
    [
      "with two lists of extensions",
      () => replaced(EXTENSIONS, tlv(0xa3, tlv(0x30, ...extensions()), hex("3000"))),
    ],
    ["with an extension twice", withExtensions((list) => [...list, list[1] as Bytes])],
    ["with an extension that says it is not critical", basicConstraints(hex("010100"), hex("04023000"))],
    ["with a TRUE that is 1", basicConstraints(hex("010101"), hex("04023000"))],
    ["with an extension of four parts", basicConstraints(CRITICAL, hex("04023000"), hex("0500"))],
    [
      "with an extension that goes on after its content",
      withExtensions((list) => [...list, extension(hex("06012a"), hex("0400"), hex("0500"), hex("0500"))]),
    ],
    ["with an extension without content", basicConstraints(CRITICAL)],
    ["with a CA flag that is FALSE in writing", basicConstraints(CRITICAL, hex("04053003010100"))],
    ["with a path length but no CA flag", basicConstraints(CRITICAL, hex("04053003020100"))],
    ["with a path length of 256", basicConstraints(CRITICAL, hex("040930070101ff02020100"))],
    ["with something after the path length", basicConstraints(CRITICAL, hex("040b30090101ff020100020100"))],
    ["with a key usage without bits", keyUsage("0403030100")],
    ["with a key usage of three bytes", keyUsage("0406030400800000")],
    ["with a key usage of eight unused bits", keyUsage("040403020880")],
  ])("%s", async (_, craft) => {
    const leaf = await signed(craft());
    expect(() => readCertificate(leaf)).toThrow(expect.objectContaining({ code: "CHAIN" }));
  });
});

describe("a certificate is not read", () => {
  const outer = (...after: readonly Bytes[]) => tlv(0x30, tlv(0x30, ...parts), ...after);
  const signature = (der: string) => tlv(3, Uint8Array.of(0), hex(der));

  it.each([
    ["without an algorithm", () => outer()],
    ["without a signature", () => outer(ECDSA_SHA256)],
    ["signed with one number", () => outer(ECDSA_SHA256, signature("3003020101"))],
    ["of nothing", () => hex("3000")],
  ])("%s", (_, craft) => {
    expect(() => readCertificate(craft())).toThrow(expect.objectContaining({ code: "CHAIN" }));
  });

  it("of more than 2,048 bytes, whatever they are", () => {
    expect(() => readCertificate(new Uint8Array(2_049))).toThrow("certificate too long");
    expect(() => readCertificate(new Uint8Array(2_048))).not.toThrow("certificate too long");
  });
});

it.each([
  ["version", () => replaced(VERSION, hex("a003020101"))],
  ["signature algorithm", () => replaced(ALGORITHM, hex("300a06082a8648ce3d040303"))],
])("says that the %s is not the profile's", async (what, craft) => {
  const leaf = await signed(craft());
  expect(() => readCertificate(leaf)).toThrow(`CHAIN: ${what} is not the profile's`);
});

it("a key that is on no curve of the rules is refused, on every curve that they allow", async () => {
  const rules = { maxBytes: 2_048, curves: ["P-256", "P-384"], hashes: ["SHA-256"] } as const;
  const keyOn = async (namedCurve: string) => {
    const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve }, true, ["sign", "verify"]);
    const spki = await crypto.subtle.exportKey("spki", (pair as CryptoKeyPair).publicKey);
    return signed(replaced(SPKI, new Uint8Array(spki)));
  };
  expect(readCertificate(await keyOn("P-384"), rules).curve).toBe("P-384");
  const foreign = await keyOn("P-521");
  expect(() => readCertificate(foreign, rules)).toThrow("the key is on no curve of the profile");
});

describe("an extension that is absent", () => {
  it("leaves a key without usages", async () => {
    const leaf = await signed(withExtensions((list) => list.toSpliced(1, 1))());
    expect(readCertificate(leaf).keyUsage).toBe(0);
  });

  it("leaves a path without a limit", async () => {
    const leaf = await signed(basicConstraints(CRITICAL, hex("040530030101ff"))());
    expect(readCertificate(leaf).ca).toEqual({ pathLength: Number.POSITIVE_INFINITY });
  });
});

it("a key usage may have nine bits, of which the first eight are read", async () => {
  const leaf = await signed(keyUsage("04050303078180")());
  expect(readCertificate(leaf).keyUsage).toBe(0x81);
});

it("a well signed leaf with an empty list of usages has none of the role", async () => {
  const craft = withExtensions((list) => [
    ...list.toSpliced(2, 1),
    extension(hex("0603551d25"), CRITICAL, hex("04023000")),
  ]);
  await expect(verify(await signed(craft()))).rejects.toMatchObject({ code: "EKU" });
});

describe("years", () => {
  it.each([
    [utc("491231235959Z"), "2049-12-31T23:59:59.000Z"],
    [utc("500101000000Z"), "1950-01-01T00:00:00.000Z"],
    [utc("991231235959Z"), "1999-12-31T23:59:59.000Z"],
    [generalized("20500101000000Z"), "2050-01-01T00:00:00.000Z"],
    [generalized("20520229000000Z"), "2052-02-29T00:00:00.000Z"],
  ])("case %#", async (time, expected) => {
    const { notBefore } = readCertificate(await signed(validity(time, TO)()));
    expect(notBefore.toISOString()).toBe(expected);
  });
});

it("a well signed leaf with a usage of its role twice lacks the other", async () => {
  const client = "060a2b06010401868d1f0101";
  const usages = extension(hex("0603551d25"), CRITICAL, hex(`041a3018${client}${client}`));
  const craft = withExtensions((list) => [...list.toSpliced(2, 1), usages]);
  await expect(verify(await signed(craft()))).rejects.toMatchObject({ code: "EKU" });
});

it("a serial number may have twenty bytes", async () => {
  const certificate = readCertificate(await signed(replaced(SERIAL, tlv(2, new Uint8Array(20).fill(1)))));
  expect(certificate.serial).toBe("01".repeat(20));
});

it("a serial number is shown without its sign byte", async () => {
  const certificate = readCertificate(await signed(replaced(SERIAL, hex("02020080"))));
  expect(certificate.serial).toBe("80");
  expect(toHex(certificate.spki)).toBe(toHex(parts[6] as Bytes));
});
