import "reflect-metadata/lite";
import {
  BasicConstraintsExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { beforeAll, describe, expect, it } from "vitest";
import { type Bytes, copyBytes } from "../bytes.ts";
import { OWN_RULES } from "./certificate.ts";
import { verifyPath } from "./path.ts";
import { CHAIN_LIMIT } from "./profiles.ts";
import { keyPair, NOW, YEARS } from "./test-support.ts";

/** CAs of one name and one key, each of which may have issued every other, without a limit to the path. */
let authority: CryptoKeyPair;
let leaf: Bytes;

async function issue(number: number, subject: string, publicKey: CryptoKey, extensions: Extension[]) {
  const certificate = await X509CertificateGenerator.create({
    serialNumber: `0${number}`,
    subject: `CN=${subject}`,
    issuer: "CN=Anybody",
    notBefore: NOW,
    notAfter: new Date(NOW.getTime() + YEARS),
    publicKey,
    signingKey: authority.privateKey,
    signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
    extensions,
  });
  return copyBytes(certificate.rawData);
}

const ca = (number: number) =>
  issue(number, "Anybody", authority.publicKey, [
    new BasicConstraintsExtension(true, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
  ]);

beforeAll(async () => {
  authority = await keyPair();
  const { publicKey } = await keyPair();
  leaf = await issue(1, "Somebody", publicKey, [
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
  ]);
});

describe("a path whose every link holds", () => {
  it(`is accepted with ${CHAIN_LIMIT.certificates} certificates, and refused with one more`, async () => {
    const [anchor, ...others] = [await ca(2), await ca(3), await ca(4), await ca(5)] as const;
    const longest = [leaf, ...others.slice(0, CHAIN_LIMIT.certificates - 1)];
    const { intermediates } = await verifyPath(longest, [anchor], OWN_RULES);
    expect(intermediates).toHaveLength(CHAIN_LIMIT.certificates - 1);
    await expect(verifyPath([leaf, ...others], [anchor], OWN_RULES)).rejects.toMatchObject({ code: "CHAIN" });
  });
});
