/** A small PKI for tests: a client side and a tag side, both issued by issue.ts at one instant. */
import type { Bytes } from "../encoding/bytes.ts";
import {
  createIntermediate,
  createRoot,
  createTagCa,
  type Issuer,
  issueClientLeaf,
  issueTagLeaf,
} from "./issue.ts";

export const NOW = new Date("2026-06-01T12:00:00.500Z");
export const YEARS = 365 * 86_400_000;
/** Serial numbers need not be random here, and begin with a bit that needs a sign byte. */
export const serial = (last: number): Bytes => new Uint8Array(16).fill(0xf0).with(15, last) as Bytes;

export function keyPair(namedCurve = "P-256"): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey({ name: "ECDSA", namedCurve }, true, [
    "sign",
    "verify",
  ]) as Promise<CryptoKeyPair>;
}

/** SubjectPublicKeyInfo (DER) of a P-256 point that is not on the curve. */
export async function keyOffTheCurve(): Promise<Bytes> {
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", (await keyPair()).publicKey));
  return spki.with(-1, (spki.at(-1) as number) ^ 1) as Bytes;
}

export interface TestPki {
  readonly root: Issuer;
  readonly intermediate: Issuer;
  readonly clientKeys: CryptoKeyPair;
  readonly clientLeaf: Bytes;
  readonly tagCa: Issuer;
  readonly tagKeys: CryptoKeyPair;
  readonly tagLeaf: Bytes;
}

export async function testPki(): Promise<TestPki> {
  const [rootKeys, issuing, tagCaKeys] = [await keyPair(), await keyPair(), await keyPair()];
  const [clientKeys, tagKeys] = [await keyPair(), await keyPair()];
  const lifetime = { notBefore: NOW, notAfter: new Date(NOW.getTime() + 5 * YEARS) };
  const root = {
    certificate: await createRoot({
      commonName: "Test Root",
      serial: serial(1),
      ...lifetime,
      keys: rootKeys,
    }),
    privateKey: rootKeys.privateKey,
  };
  const intermediate = {
    certificate: await createIntermediate({
      issuer: root,
      commonName: "Test Client CA",
      serial: serial(2),
      ...lifetime,
      publicKey: issuing.publicKey,
    }),
    privateKey: issuing.privateKey,
  };
  const tagCa = {
    certificate: await createTagCa({
      commonName: "Test Tag CA",
      serial: serial(3),
      ...lifetime,
      keys: tagCaKeys,
    }),
    privateKey: tagCaKeys.privateKey,
  };
  const clientLeaf = await issueClientLeaf({
    issuer: intermediate,
    commonName: "0123456789abcdefABCDEF",
    publicKey: clientKeys.publicKey,
    serial: serial(4),
    now: NOW,
  });
  const tagLeaf = await issueTagLeaf({
    issuer: tagCa,
    deviceId: "ebt-21-0001",
    publicKey: tagKeys.publicKey,
    serial: serial(5),
    notBefore: NOW,
  });
  return { root, intermediate, clientKeys, clientLeaf, tagCa, tagKeys, tagLeaf };
}
