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
  readonly publicKey: CryptoKey;
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

export const SIGNS = new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true);
/** Of a CA whose path may be of any length. */
export const ISSUES = [
  new BasicConstraintsExtension(true, undefined, true),
  new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
];
export const usages = (...oids: readonly string[]) => new ExtendedKeyUsageExtension([...oids], true);
