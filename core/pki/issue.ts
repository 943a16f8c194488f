/**
 * Issues certificates of our profiles (protocol.md, Credentials, rules §7). The service, the operator's commands and tests use
 * it; pages and tags only verify, and never load this file with its ASN.1 library.
 */
import "reflect-metadata/lite";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonNameParams,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { type Bytes, copyBytes, toHex } from "../encoding/bytes.ts";
import { type Certificate, readCertificate } from "./certificate.ts";
import { EKU_CLIENT, EKU_TAG, LEAF_USAGES, type LeafUsage, NO_EXPIRY, VALIDITY } from "./profiles.ts";

/**
 * Why a certificate cannot be issued.
 *
 * - `issuer_expired`: the issuer is not valid at the requested time. The operator renews it.
 * - `issuer_invalid`: the issuer's certificate may not issue this one. Wrong configuration.
 * - `request_invalid`: a name, serial number or key that no certificate can carry. A mistake of the caller.
 */
export type IssueErrorCode = "issuer_expired" | "issuer_invalid" | "request_invalid";

export class IssueError extends Error {
  override readonly name = "IssueError";
  readonly code: IssueErrorCode;
  constructor(code: IssueErrorCode, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/** A CA that can sign: its certificate (DER) and its private key (ECDSA P-256, usage `sign`). */
export interface Issuer {
  readonly certificate: Bytes;
  readonly privateKey: CryptoKey;
}

/** What every CA certificate needs. `serial` is 16 random bytes: randomness is the caller's. */
export interface CaRequest {
  readonly commonName: string;
  readonly serial: Bytes;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export interface ClientLeafRequest {
  readonly issuer: Issuer;
  /** A pseudonym, no personal data. */
  readonly commonName: string;
  /** ECDSA P-256, extractable as every public key is. */
  readonly publicKey: CryptoKey;
  /** 16 random bytes. */
  readonly serial: Bytes;
  readonly now: Date;
  /** Milliseconds before and after `now`; the profile's 5 minutes and 7 days unless given, and never longer. */
  readonly validity?: { readonly backdate: number; readonly lifetime: number };
}

export interface TagLeafRequest {
  readonly issuer: Issuer;
  readonly deviceId: string;
  readonly publicKey: CryptoKey;
  readonly serial: Bytes;
  readonly notBefore: Date;
}

/** Self-signed operator root that allows one intermediate below it. @throws IssueError */
export function createRoot(request: CaRequest & { readonly keys: CryptoKeyPair }): Promise<Bytes> {
  return selfSigned(request, 1);
}

/** Self-signed tag CA, which issues device leaves itself. @throws IssueError */
export function createTagCa(request: CaRequest & { readonly keys: CryptoKeyPair }): Promise<Bytes> {
  return selfSigned(request, 0);
}

/** Intermediate of path length 0, never outliving its issuer. @throws IssueError */
export async function createIntermediate(
  request: CaRequest & { readonly issuer: Issuer; readonly publicKey: CryptoKey },
): Promise<Bytes> {
  const issuer = readIssuer(request.issuer, 1);
  const spki = await spkiOf(request.publicKey);
  return build({
    subject: commonName(request.commonName),
    issuer: issuer.subject,
    signingKey: request.issuer.privateKey,
    publicKey: request.publicKey,
    serial: request.serial,
    ...within(issuer, request),
    extensions: [
      ...caExtensions(0),
      await subjectKeyIdentifier(spki),
      await authorityKeyIdentifier(issuer.spki),
    ],
  });
}

/**
 * Client leaf (rules §7): valid from a little before `now` for at most 7 days, never outliving the issuer.
 *
 * @throws IssueError
 */
export async function issueClientLeaf(request: ClientLeafRequest): Promise<Bytes> {
  const issuer = readIssuer(request.issuer);
  const now = request.now.getTime();
  if (request.now < issuer.notBefore || request.now >= issuer.notAfter)
    throw new IssueError("issuer_expired");
  const { backdate, lifetime } = request.validity ?? {
    backdate: VALIDITY.clientLeafBackdate,
    lifetime: VALIDITY.clientLeaf,
  };
  const wanted = {
    notBefore: new Date(now - backdate),
    notAfter: new Date(now + Math.min(lifetime, VALIDITY.clientLeaf)),
  };
  return build({
    subject: commonName(request.commonName),
    issuer: issuer.subject,
    signingKey: request.issuer.privateKey,
    publicKey: request.publicKey,
    serial: request.serial,
    ...within(issuer, wanted),
    extensions: [...leafExtensions(EKU_CLIENT), await authorityKeyIdentifier(issuer.spki)],
  });
}

/** Tag leaf: subject attribute serialNumber = device id, without expiry. @throws IssueError */
export async function issueTagLeaf(request: TagLeafRequest): Promise<Bytes> {
  const issuer = readIssuer(request.issuer);
  return build({
    subject: [{ [SERIAL_NUMBER]: [textValue(request.deviceId)] }],
    issuer: issuer.subject,
    signingKey: request.issuer.privateKey,
    publicKey: request.publicKey,
    serial: request.serial,
    notBefore: request.notBefore,
    notAfter: NO_EXPIRY,
    extensions: [...leafExtensions(EKU_TAG), await authorityKeyIdentifier(issuer.spki)],
  });
}

const COMMON_NAME = "2.5.4.3";
const SERIAL_NUMBER = "2.5.4.5";
const SERIAL_LENGTH = 16;

interface Draft {
  readonly subject: JsonNameParams;
  /** The issuer's name as DER. */
  readonly issuer: Bytes | JsonNameParams;
  readonly signingKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly serial: Bytes;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions: Extension[];
}

async function selfSigned(
  request: CaRequest & { readonly keys: CryptoKeyPair },
  pathLength: number,
): Promise<Bytes> {
  const name = commonName(request.commonName);
  const spki = await spkiOf(request.keys.publicKey);
  return build({
    subject: name,
    issuer: name,
    signingKey: request.keys.privateKey,
    publicKey: request.keys.publicKey,
    serial: request.serial,
    notBefore: request.notBefore,
    notAfter: request.notAfter,
    extensions: [...caExtensions(pathLength), await subjectKeyIdentifier(spki)],
  });
}

async function build(draft: Draft): Promise<Bytes> {
  if (draft.serial.length !== SERIAL_LENGTH || draft.notAfter <= draft.notBefore)
    throw new IssueError("request_invalid");
  const certificate = await X509CertificateGenerator.create({
    serialNumber: toHex(draft.serial),
    subject: new Name(draft.subject),
    issuer: new Name(draft.issuer),
    notBefore: wholeSeconds(draft.notBefore),
    notAfter: wholeSeconds(draft.notAfter),
    publicKey: draft.publicKey,
    signingKey: draft.signingKey,
    extensions: draft.extensions,
  });
  const der = copyBytes(certificate.rawData);
  try {
    // What we issue is what we accept: the reader refuses another curve or a long name.
    readCertificate(der);
  } catch (cause) {
    throw new IssueError("request_invalid", { cause });
  }
  return der;
}

/** One that may issue a leaf, or a CA with `pathLength` - 1 others below it. */
function readIssuer(issuer: Issuer, pathLength = 0): Certificate {
  const certificate = readCertificate(issuer.certificate);
  if (certificate.ca === undefined || certificate.ca.pathLength < pathLength)
    throw new IssueError("issuer_invalid");
  return certificate;
}

/** The part of `wanted` that lies within the issuer's own validity. */
function within(
  issuer: Certificate,
  wanted: { notBefore: Date; notAfter: Date },
): { notBefore: Date; notAfter: Date } {
  return {
    notBefore: new Date(Math.max(wanted.notBefore.getTime(), issuer.notBefore.getTime())),
    notAfter: new Date(Math.min(wanted.notAfter.getTime(), issuer.notAfter.getTime())),
  };
}

function caExtensions(pathLength: number): Extension[] {
  return [
    new BasicConstraintsExtension(true, pathLength, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ];
}

function leafExtensions(usage: LeafUsage): Extension[] {
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([...LEAF_USAGES[usage]], true),
  ];
}

async function subjectKeyIdentifier(spki: Bytes): Promise<Extension> {
  return new SubjectKeyIdentifierExtension(await keyIdentifier(spki));
}

async function authorityKeyIdentifier(spki: Bytes): Promise<Extension> {
  return new AuthorityKeyIdentifierExtension(await keyIdentifier(spki));
}

/** Eight bytes are enough to choose between a handful of CAs, and every byte of a chain is sent over the air. */
async function keyIdentifier(spki: Bytes): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", spki)).subarray(0, 8));
}

async function spkiOf(key: CryptoKey): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.exportKey("spki", key));
}

function commonName(text: string): JsonNameParams {
  return [{ [COMMON_NAME]: [textValue(text)] }];
}

/** PrintableString where the text allows it (RFC 5280 wants it for serialNumber), UTF8String otherwise. */
function textValue(text: string): { printableString: string } | { utf8String: string } {
  if (text.length === 0 || text.length > 64) throw new IssueError("request_invalid");
  return /^[A-Za-z0-9 '()+,\-./:=?]+$/.test(text) ? { printableString: text } : { utf8String: text };
}

function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}
