/**
 * Issues certificates of our profiles (protocol.md, Credentials, rules §7), in DER of our own. The service, the
 * operator's commands and tests use it; pages and tags only verify.
 */
import { type Bytes, fromHex, utf8 } from "../encoding/bytes.ts";
import { bits, DER_TAG, der, ecdsaSignature, oid, sequence, time, unsigned } from "../encoding/der.ts";
import {
  type Certificate,
  OID,
  readCertificate,
  SIGNATURE_ALGORITHM,
  spkiThumbprint,
  VERSION_3,
} from "./certificate.ts";
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

/** What every CA certificate needs. `serial` is 8 to 16 random bytes: randomness is the caller's. */
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
  /** Milliseconds before and after `now`; the profile's day and 7 days unless given, and never longer. */
  readonly validity?: { readonly backdate: number; readonly lifetime: number };
}

export interface TagLeafRequest {
  readonly issuer: Issuer;
  readonly deviceId: string;
  readonly publicKey: CryptoKey;
  /** 8 random bytes: each one more is sent at every handshake. */
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
    subject: nameOf(OID.commonName, request.commonName),
    issuer: issuer.subject,
    signingKey: request.issuer.privateKey,
    spki,
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
    backdate: VALIDITY.backdate,
    lifetime: VALIDITY.clientLeaf,
  };
  const wanted = {
    notBefore: new Date(now - backdate),
    notAfter: new Date(now + Math.min(lifetime, VALIDITY.clientLeaf)),
  };
  return build({
    subject: nameOf(OID.commonName, request.commonName),
    issuer: issuer.subject,
    signingKey: request.issuer.privateKey,
    spki: await spkiOf(request.publicKey),
    serial: request.serial,
    ...within(issuer, wanted),
    extensions: [
      extension(OID.basicConstraints, sequence(), CRITICAL),
      ...usageExtensions(EKU_CLIENT),
      await authorityKeyIdentifier(issuer.spki),
    ],
  });
}

/**
 * Tag leaf: subject attribute serialNumber = device id, without expiry. Without basicConstraints, which makes it no CA (RFC
 * 5280 §4.2.1.9): message_2 then fits in two reads at an MTU of 247.
 *
 * @throws IssueError
 */
export async function issueTagLeaf(request: TagLeafRequest): Promise<Bytes> {
  const issuer = readIssuer(request.issuer);
  return build({
    subject: nameOf(OID.serialNumber, request.deviceId),
    issuer: issuer.subject,
    signingKey: request.issuer.privateKey,
    spki: await spkiOf(request.publicKey),
    serial: request.serial,
    notBefore: request.notBefore,
    notAfter: NO_EXPIRY,
    extensions: [...usageExtensions(EKU_TAG), await authorityKeyIdentifier(issuer.spki)],
  });
}

/** Bytes: fewer could be guessed or meet twice. */
const SERIAL_LENGTH = { least: 8, most: 16 } as const;

interface Draft {
  /** Names as DER. */
  readonly subject: Bytes;
  readonly issuer: Bytes;
  readonly signingKey: CryptoKey;
  readonly spki: Bytes;
  readonly serial: Bytes;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions: readonly Bytes[];
}

async function selfSigned(
  request: CaRequest & { readonly keys: CryptoKeyPair },
  pathLength: number,
): Promise<Bytes> {
  const name = nameOf(OID.commonName, request.commonName);
  const spki = await spkiOf(request.keys.publicKey);
  return build({
    subject: name,
    issuer: name,
    signingKey: request.keys.privateKey,
    spki,
    serial: request.serial,
    notBefore: request.notBefore,
    notAfter: request.notAfter,
    extensions: [...caExtensions(pathLength), await subjectKeyIdentifier(spki)],
  });
}

/** Certificate and TBSCertificate (RFC 5280 §4.1). */
async function build(draft: Draft): Promise<Bytes> {
  const { serial, issuer, notBefore, notAfter, subject, spki, extensions, signingKey } = draft;
  // Written so that a date that is none is refused as well.
  const isLongEnough = serial.length >= SERIAL_LENGTH.least && serial.length <= SERIAL_LENGTH.most;
  if (!isLongEnough || !(notAfter > notBefore)) throw new IssueError("request_invalid");
  const algorithm = SIGNATURE_ALGORITHM["SHA-256"];
  const tbs = sequence(
    ...[VERSION_3, unsigned(serial), algorithm, issuer, sequence(time(notBefore), time(notAfter))],
    ...[subject, spki, der(DER_TAG.EXPLICIT_3, sequence(...extensions))],
  );
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, signingKey, tbs);
  const certificate = sequence(tbs, algorithm, bits(ecdsaSignature(signature)));
  try {
    // What we issue is what we accept: the reader refuses another curve or a long name.
    readCertificate(certificate);
  } catch (cause) {
    throw new IssueError("request_invalid", { cause });
  }
  return certificate;
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

const TRUE = fromHex("0101ff");
const CRITICAL = TRUE;

/** One Extension (RFC 5280 §4.1); `flag` is {@link CRITICAL} or nothing. */
const extension = (id: string, value: Bytes, flag: Bytes = new Uint8Array()): Bytes =>
  sequence(oid(id), flag, der(DER_TAG.OCTET_STRING, value));

/** Bits of KeyUsage (RFC 5280 §4.2.1.3), without trailing zeros: keyCertSign and cRLSign, digitalSignature. */
const CA_KEY_USAGE = bits(Uint8Array.of(0x06), 1);
const LEAF_KEY_USAGE = bits(Uint8Array.of(0x80), 7);

function caExtensions(pathLength: number): Bytes[] {
  return [
    extension(OID.basicConstraints, sequence(TRUE, unsigned(Uint8Array.of(pathLength))), CRITICAL),
    extension(OID.keyUsage, CA_KEY_USAGE, CRITICAL),
  ];
}

function usageExtensions(usage: LeafUsage): Bytes[] {
  return [
    extension(OID.keyUsage, LEAF_KEY_USAGE, CRITICAL),
    extension(OID.extendedKeyUsage, sequence(...LEAF_USAGES[usage].map(oid)), CRITICAL),
  ];
}

const subjectKeyIdentifier = async (spki: Bytes): Promise<Bytes> =>
  extension(OID.subjectKeyIdentifier, der(DER_TAG.OCTET_STRING, await keyIdentifier(spki)));

const authorityKeyIdentifier = async (spki: Bytes): Promise<Bytes> =>
  extension(OID.authorityKeyIdentifier, sequence(der(DER_TAG.IMPLICIT_0, await keyIdentifier(spki))));

/** Eight bytes are enough to choose between a handful of CAs, and every byte of a chain is sent over the air. */
const keyIdentifier = async (spki: Bytes): Promise<Bytes> => (await spkiThumbprint(spki)).slice(0, 8);

async function spkiOf(key: CryptoKey): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.exportKey("spki", key));
}

/**
 * A name of one attribute: PrintableString where the text allows it (RFC 5280 wants it for serialNumber),
 * UTF8String otherwise.
 */
function nameOf(attribute: string, text: string): Bytes {
  if (text.length === 0 || text.length > 64) throw new IssueError("request_invalid");
  const isPrintable = /^[A-Za-z0-9 '()+,\-./:=?]+$/.test(text);
  const value = der(isPrintable ? DER_TAG.PRINTABLE_STRING : DER_TAG.UTF8_STRING, utf8(text));
  return sequence(der(DER_TAG.SET, sequence(oid(attribute), value)));
}
