/** Certificates with any extensions on any curve, of CAs that limit nothing: what issue.ts would never issue. */
import "reflect-metadata/lite";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { type Bytes, copyBytes } from "../encoding/bytes.ts";
import { NOW, YEARS } from "./test-support.ts";

export interface MadeRequest {
  readonly serial: number;
  readonly subject: string;
  readonly issuer: string;
  /** SubjectPublicKeyInfo (DER), where it is a key that no engine takes. */
  readonly publicKey: CryptoKey | Bytes;
  readonly signingKey: CryptoKey;
  readonly extensions: readonly Extension[];
}

export async function madeCertificate(request: MadeRequest): Promise<Bytes> {
  const certificate = await X509CertificateGenerator.create({
    serialNumber: `0${request.serial}`,
    subject: `CN=${request.subject}`,
    issuer: `CN=${request.issuer}`,
    notBefore: NOW,
    notAfter: new Date(NOW.getTime() + YEARS),
    publicKey: request.publicKey,
    signingKey: request.signingKey,
    signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
    extensions: [...request.extensions],
  });
  return copyBytes(certificate.rawData);
}

export const keyUsage = (...names: (keyof typeof KeyUsageFlags)[]) =>
  new KeyUsagesExtension(
    names.reduce((flags, name) => flags | KeyUsageFlags[name], 0),
    true,
  );
export const SIGNS = keyUsage("digitalSignature");
const ca = (pathLength: number | undefined) => [
  new BasicConstraintsExtension(true, pathLength, true),
  keyUsage("keyCertSign"),
];
/** Of a CA whose path may be of any length, and of one below which there is no other. */
export const ISSUES = ca(undefined);
export const ISSUES_LEAVES = ca(0);
export const usages = (...oids: readonly string[]) => new ExtendedKeyUsageExtension([...oids], true);
