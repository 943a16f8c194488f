import { beforeAll, describe, expect, it } from "vitest";
import { type Bytes, toHex, utf8 } from "../encoding/bytes.ts";
import { readCertificate } from "./certificate.ts";
import { verifyChain } from "./chain.ts";
import { createIntermediate, createRoot, issueClientLeaf, issueTagLeaf } from "./issue.ts";
import { CLIENT_AUTH, EKU_CLIENT, EKU_TAG, VALIDITY } from "./profiles.ts";
import { keyPair, NOW, serial, type TestPki, testPki, YEARS } from "./test-support.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
let pki: TestPki;

beforeAll(async () => {
  pki = await testPki();
});

function clientLeaf(change: Partial<Parameters<typeof issueClientLeaf>[0]>) {
  const { intermediate, clientKeys } = pki;
  const publicKey = clientKeys.publicKey;
  return issueClientLeaf({
    issuer: intermediate,
    commonName: "p",
    publicKey,
    serial: serial(9),
    now: NOW,
    ...change,
  });
}

describe("the client's chain", () => {
  it("verifies to the root, in the client's role", async () => {
    const { clientLeaf: leaf, intermediate, root, clientKeys } = pki;
    const anchors = [root.certificate];
    const verified = await verifyChain({
      chain: [leaf, intermediate.certificate],
      anchors,
      eku: EKU_CLIENT,
      at: NOW,
    });
    expect(toHex(verified.spki)).toBe(
      toHex(new Uint8Array(await crypto.subtle.exportKey("spki", clientKeys.publicKey))),
    );
    expect(verified.serial).toBe(toHex(serial(4)));
    expect(verified).not.toHaveProperty("subjectSerialNumber");
  });

  it("allows one CA below the root, and none below the intermediate and the tag CA", () => {
    const pathLengths = [pki.root, pki.intermediate, pki.tagCa].map(
      ({ certificate }) => readCertificate(certificate).ca?.pathLength,
    );
    expect(pathLengths).toEqual([1, 0, 0]);
  });

  it("leaves room for message_3 of 960 bytes: tag 16, two certificates, at most 85 bytes around them", () => {
    const { clientLeaf: leaf, intermediate } = pki;
    // { 33: [ bstr, bstr ] } 4 + 3 + 3, signature 66, record tag 16, bstr head 3.
    expect(16 + leaf.length + intermediate.certificate.length + 79).toBeLessThanOrEqual(960);
  });
});

describe("every certificate we issue", () => {
  const CRITICAL = "0101ff";
  const [CONSTRAINTS, KEY_USAGE, USAGES] = ["0603551d13", "0603551d0f", "0603551d25"];
  const [OWN_KEY, ISSUERS_KEY] = ["2.5.29.14", "2.5.29.35"];

  it.each<[string, () => Bytes, readonly string[], readonly string[]]>([
    ["root", () => pki.root.certificate, [CONSTRAINTS, KEY_USAGE], [OWN_KEY]],
    ["intermediate", () => pki.intermediate.certificate, [CONSTRAINTS, KEY_USAGE], [OWN_KEY, ISSUERS_KEY]],
    ["client leaf", () => pki.clientLeaf, [CONSTRAINTS, KEY_USAGE, USAGES], [ISSUERS_KEY]],
    // Without constraints, which say no more and cost a read.
    ["tag leaf", () => pki.tagLeaf, [KEY_USAGE, USAGES], [ISSUERS_KEY]],
  ])("says what it may do, critically, and whose key is whose: the %s", (_name, made, critical, keys) => {
    const hex = toHex(made());
    expect(critical.filter((oid) => hex.includes(oid + CRITICAL))).toEqual(critical);
    expect([...readCertificate(made()).others.keys()]).toEqual(keys);
  });
});

describe("a certificate we issue", () => {
  it("names keys by the first eight bytes of their SHA-256", async () => {
    const { spki, others } = readCertificate(pki.root.certificate);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", spki));
    expect(toHex(others.get("2.5.29.14") as Bytes)).toBe(`0408${toHex(digest.subarray(0, 8))}`);
  });

  it.each([
    ["ebt 21-0001", "130b"],
    ["#2a", "0c03"],
    ["2a#", "0c03"],
  ])("has %j as PrintableString where it can be one, else as UTF8String", async (commonName, head) => {
    expect(toHex(await clientLeaf({ commonName }))).toContain(head + toHex(utf8(commonName)));
  });
});

describe("a client leaf", () => {
  it("lasts 7 days and begins a day ago, in whole seconds", async () => {
    const now = new Date(NOW.getTime() + 2 * DAY);
    const { notBefore, notAfter, usages, ca } = readCertificate(await clientLeaf({ now }));
    expect(notBefore.getTime()).toBe(now.getTime() - 500 - DAY);
    expect(notAfter.getTime()).toBe(now.getTime() - 500 + 7 * DAY);
    expect(usages).toEqual([CLIENT_AUTH, EKU_CLIENT]);
    expect(ca).toBeUndefined();
  });

  it.each([
    ["an hour", 60 * MINUTE, 60 * MINUTE],
    ["at most 7 days of the 30", 30 * DAY, 7 * DAY],
  ])("lasts %s where the operator says so", async (_, lifetime, granted) => {
    const now = new Date(NOW.getTime() + 2 * DAY);
    const leaf = readCertificate(await clientLeaf({ now, validity: { backdate: MINUTE, lifetime } }));
    expect(leaf.notBefore.getTime()).toBe(now.getTime() - 500 - MINUTE);
    expect(leaf.notAfter.getTime()).toBe(now.getTime() - 500 + granted);
  });

  it("never begins before its issuer", () => {
    const issuer = readCertificate(pki.intermediate.certificate);
    expect(readCertificate(pki.clientLeaf).notBefore).toEqual(issuer.notBefore);
  });

  it("never outlives its issuer", async () => {
    const { notAfter } = readCertificate(pki.intermediate.certificate);
    const now = new Date(notAfter.getTime() - DAY);
    expect(readCertificate(await clientLeaf({ now })).notAfter).toEqual(notAfter);
  });

  it("is issued from the very instant its issuer begins", async () => {
    const { notBefore } = readCertificate(pki.intermediate.certificate);
    expect(readCertificate(await clientLeaf({ now: notBefore })).notBefore).toEqual(notBefore);
  });

  it("is not issued at the very instant its issuer ends", async () => {
    const { notAfter } = readCertificate(pki.intermediate.certificate);
    await expect(clientLeaf({ now: notAfter })).rejects.toMatchObject({ code: "issuer_expired" });
  });

  it.each([
    ["ended", 5 * YEARS],
    ["has not begun", -DAY],
  ])("is not issued by an intermediate that %s", async (_, offset) => {
    const now = new Date(NOW.getTime() + offset);
    await expect(clientLeaf({ now })).rejects.toMatchObject({ name: "IssueError", code: "issuer_expired" });
  });

  it("is not issued by a leaf", async () => {
    const issuer = { certificate: pki.clientLeaf, privateKey: pki.clientKeys.privateKey };
    await expect(clientLeaf({ issuer })).rejects.toMatchObject({ code: "issuer_invalid" });
  });

  it.each([
    ["an empty name", { commonName: "" }],
    ["a name of 65 characters", { commonName: "x".repeat(65) }],
    ["a serial number of 7 bytes", { serial: new Uint8Array(7) }],
    ["a serial number of 17 bytes", { serial: new Uint8Array(17) }],
  ])("is not issued with %s", async (_, change) => {
    await expect(clientLeaf(change)).rejects.toMatchObject({ code: "request_invalid" });
  });

  it("is not issued for a key on another curve", async () => {
    const { publicKey } = await keyPair("P-384");
    const cause = expect.objectContaining({ code: "CHAIN" });
    await expect(clientLeaf({ publicKey })).rejects.toMatchObject({ code: "request_invalid", cause });
  });
});

describe("a tag leaf", () => {
  const check = () =>
    ({ chain: [pki.tagLeaf], anchors: [pki.tagCa.certificate], eku: EKU_TAG, at: NOW }) as const;

  it("verifies under the pinned tag CA and names its device", async () => {
    expect((await verifyChain(check())).subjectSerialNumber).toBe("ebt-21-0001");
  });

  it("does not expire", async () => {
    const { notAfter } = await verifyChain(check());
    expect(notAfter.toISOString()).toBe("9999-12-31T23:59:59.000Z");
  });

  it("cannot play the client, nor a client the tag", async () => {
    await expect(verifyChain({ ...check(), eku: EKU_CLIENT })).rejects.toMatchObject({ code: "EKU" });
    const chain = [pki.clientLeaf, pki.intermediate.certificate];
    const reflected = verifyChain({ chain, anchors: [pki.root.certificate], eku: EKU_TAG });
    await expect(reflected).rejects.toMatchObject({ code: "EKU" });
  });

  it.each(["#2a", "a,b=c+d", "Étiquette 行李", "00:11:22:33:44:55", "x".repeat(64), " ", "\\"])(
    "carries the device id %j byte for byte",
    async (deviceId) => {
      const { tagCa, tagKeys } = pki;
      const request = { issuer: tagCa, publicKey: tagKeys.publicKey, serial: serial(9), notBefore: NOW };
      const leaf = await issueTagLeaf({ ...request, deviceId });
      const verified = await verifyChain({ ...check(), chain: [leaf] });
      expect(verified.subjectSerialNumber).toBe(deviceId);
    },
  );

  it.each([
    ["for two reads at an MTU of 247", "ebt-21-0001", 483],
    ["for 540 bytes with an id as long as a UUID", "123e4567-e89b-12d3-a456-426614174000", 540],
  ])("leaves room for message_2: %s", async (_, deviceId, most) => {
    const { tagCa, tagKeys } = pki;
    const request = {
      issuer: tagCa,
      publicKey: tagKeys.publicKey,
      serial: serial(9).slice(8),
      notBefore: NOW,
    };
    const leaf = await issueTagLeaf({ ...request, deviceId });
    // bstr head 3, G_Y 32, C_R 1, { 33: bstr } 3 + 3, signature 66.
    expect(3 + 32 + 1 + 6 + leaf.length + 66).toBeLessThanOrEqual(most);
  });
});

describe("an intermediate", () => {
  const request = async (change: Partial<Parameters<typeof createIntermediate>[0]>) =>
    createIntermediate({
      issuer: pki.root,
      commonName: "Second CA",
      serial: serial(9),
      notBefore: NOW,
      notAfter: new Date(NOW.getTime() + 50 * YEARS),
      publicKey: (await keyPair()).publicKey,
      ...change,
    });

  it("never outlives the root", async () => {
    const { notAfter } = readCertificate(pki.root.certificate);
    expect(readCertificate(await request({})).notAfter).toEqual(notAfter);
  });

  it("is not issued below another intermediate or a tag CA", async () => {
    await expect(request({ issuer: pki.intermediate })).rejects.toMatchObject({ code: "issuer_invalid" });
    await expect(request({ issuer: pki.tagCa })).rejects.toMatchObject({ code: "issuer_invalid" });
  });

  it("is not issued when it would end before it begins", async () => {
    await expect(request({ notAfter: NOW })).rejects.toMatchObject({ code: "request_invalid" });
  });
});

it("issues what the year 2049 and the year 2050 write differently", async () => {
  const keys = await keyPair();
  const years = { notBefore: new Date("2049-12-31T23:59:59Z"), notAfter: new Date("2050-01-01T00:00:00Z") };
  const root = readCertificate(await createRoot({ commonName: "R", serial: serial(1), ...years, keys }));
  expect(root).toMatchObject(years);
});

it("a leaf lasts a week from a day ago, an intermediate five years, a root twenty", () => {
  expect(VALIDITY).toEqual({
    backdate: 86_400_000,
    clientLeaf: 604_800_000,
    intermediate: 157_680_000_000,
    root: 630_720_000_000,
  });
});
