/** Chains that follow none of our profile's rules: as other implementations' test certificates are. */
import "reflect-metadata/lite";
import { X509CertificateGenerator } from "@peculiar/x509";
import { type Bytes, copyBytes } from "../../../core/encoding/bytes.ts";

export type ForeignAlgorithm = "ES256" | "Ed25519" | "ES384";

const KEYS = {
  ES256: { generate: { name: "ECDSA", namedCurve: "P-256" }, sign: { name: "ECDSA", hash: "SHA-256" } },
  ES384: { generate: { name: "ECDSA", namedCurve: "P-384" }, sign: { name: "ECDSA", hash: "SHA-384" } },
  Ed25519: { generate: { name: "Ed25519" }, sign: { name: "Ed25519" } },
} as const;

export interface ForeignChain {
  /** Leaf first. */
  readonly chain: readonly Bytes[];
  readonly privateKey: CryptoKey;
  readonly anchor: Bytes;
}

async function keyPair(algorithm: ForeignAlgorithm): Promise<CryptoKeyPair> {
  return (await crypto.subtle.generateKey(KEYS[algorithm].generate, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
}

/** A leaf of `algorithm`, with an intermediate or without, below a root of its own; no extensions at all. */
export async function foreignChain(
  algorithm: ForeignAlgorithm,
  length: 1 | 2,
  title = "party",
): Promise<ForeignChain> {
  const root = await keyPair(algorithm);
  const leaf = await keyPair(algorithm);
  let serial = 0;
  const issue = async (subject: string, issuer: string, publicKey: CryptoKey, signingKey: CryptoKey) => {
    const certificate = await X509CertificateGenerator.create({
      serialNumber: `0${++serial}`,
      subject: `CN=${title} ${subject}`,
      issuer: `CN=${title} ${issuer}`,
      notBefore: new Date("2020-01-01T00:00:00Z"),
      notAfter: new Date("2021-01-01T00:00:00Z"),
      publicKey,
      signingKey,
      signingAlgorithm: KEYS[algorithm].sign,
    });
    return copyBytes(certificate.rawData);
  };
  const anchor = await issue("root", "root", root.publicKey, root.privateKey);
  if (length === 1) {
    const only = await issue("leaf", "root", leaf.publicKey, root.privateKey);
    return { chain: [only], privateKey: leaf.privateKey, anchor };
  }
  const middle = await keyPair(algorithm);
  const chain = [
    await issue("leaf", "middle", leaf.publicKey, middle.privateKey),
    await issue("middle", "root", middle.publicKey, root.privateKey),
  ];
  return { chain, privateKey: leaf.privateKey, anchor };
}
