/**
 * Reads an X.509 v3 certificate of our profiles (RFC 5280 §4.1) from strict DER. It says what the certificate claims,
 * not whether that is true: signatures, names and roles are chain.ts's.
 */
import { type Bytes, copyBytes, equalBytes, fromHex, fromUtf8, toHex } from "../bytes.ts";
import {
  contentOf,
  DER_TAG,
  ecdsaSignatureOf,
  expectTrue,
  oidOf,
  onlyValue,
  refuse,
  type Tlv,
  unsignedOf,
  valuesOf,
} from "./der.ts";
import { CHAIN_LIMIT } from "./profiles.ts";

/** Bits of the first byte of KeyUsage (RFC 5280 §4.2.1.3). */
export const KEY_USAGE = { digitalSignature: 0x80, keyCertSign: 0x04, cRLSign: 0x02 } as const;

export interface Certificate {
  /** The whole certificate, as received. */
  readonly der: Bytes;
  /** What the issuer signed, as received. */
  readonly tbs: Bytes;
  /** Raw r‖s. */
  readonly signature: Bytes;
  /** Names as DER: they are compared byte for byte. */
  readonly issuer: Bytes;
  readonly subject: Bytes;
  /** Values of the subject attribute serialNumber (2.5.4.5). */
  readonly subjectSerialNumbers: readonly string[];
  readonly serial: string;
  readonly spki: Bytes;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Present for a CA: how many CA certificates may follow below it. */
  readonly ca?: { readonly pathLength: number };
  /** KeyUsage, first byte; 0 when the extension is absent. */
  readonly keyUsage: number;
  /** Extended key usages; absent when the extension is. */
  readonly usages?: readonly string[];
}

const VERSION_3 = fromHex("a003020102");
/** AlgorithmIdentifier ecdsa-with-SHA256 (RFC 5758 §3.2). */
const ECDSA_SHA256 = fromHex("300a06082a8648ce3d040302");
/** SubjectPublicKeyInfo of an uncompressed P-256 point, up to the point's coordinates (RFC 5480 §2). */
const P256_SPKI = fromHex("3059301306072a8648ce3d020106082a8648ce3d03010703420004");
const SPKI_LENGTH = P256_SPKI.length + 64;

const OID = {
  serialNumber: "2.5.4.5",
  keyUsage: "2.5.29.15",
  basicConstraints: "2.5.29.19",
  extendedKeyUsage: "2.5.29.37",
} as const;

/** @throws SecError `CHAIN` for anything that is not a strict DER certificate with P-256 keys and ES256 signature */
export function readCertificate(bytes: Bytes): Certificate {
  if (bytes.length > CHAIN_LIMIT.bytes) refuse("certificate too long");
  const [tbs, algorithm, signature, ...surplus] = valuesOf(onlyValue(bytes));
  if (tbs === undefined || surplus.length > 0) refuse("not a certificate");
  expectBytes(algorithm, ECDSA_SHA256, "signature algorithm");
  const [version, serial, inner, issuer, validity, subject, spki, extensions, ...more] = valuesOf(tbs);
  if (more.length > 0) refuse("surplus after the extensions");
  expectBytes(version, VERSION_3, "version");
  expectBytes(inner, ECDSA_SHA256, "signature algorithm");
  const attributes = valuesOf(subject).flatMap((rdn) => valuesOf(rdn, DER_TAG.SET));
  return {
    der: bytes,
    tbs: copyBytes(tbs.whole),
    signature: ecdsaSignatureOf(signature),
    issuer: nameOf(issuer),
    subject: nameOf(subject),
    subjectSerialNumbers: attributes.flatMap(serialNumberOf),
    serial: serialOf(serial),
    spki: p256SpkiOf(spki),
    ...validityOf(validity),
    ...extensionsOf(extensions),
  };
}

function expectBytes(value: Tlv | undefined, expected: Bytes, what: string): void {
  if (value === undefined || !equalBytes(value.whole, expected)) refuse(`${what} is not the profile's`);
}

function nameOf(value: Tlv | undefined): Bytes {
  if (value === undefined || contentOf(value, DER_TAG.SEQUENCE).length === 0) refuse("a name is empty");
  return copyBytes(value.whole);
}

function serialNumberOf(attribute: Tlv): string[] {
  const [type, value] = valuesOf(attribute);
  if (oidOf(type) !== OID.serialNumber) return [];
  if (value?.tag !== DER_TAG.PRINTABLE_STRING && value?.tag !== DER_TAG.UTF8_STRING)
    refuse("serialNumber is no text");
  try {
    return [fromUtf8(value.content)];
  } catch (cause) {
    refuse("serialNumber is not UTF-8", cause);
  }
}

function serialOf(value: Tlv | undefined): string {
  const magnitude = unsignedOf(value);
  if (magnitude.length > 20) refuse("serial number too long");
  return toHex(magnitude);
}

function p256SpkiOf(value: Tlv | undefined): Bytes {
  const spki = value?.whole;
  if (spki?.length !== SPKI_LENGTH || !equalBytes(spki.subarray(0, P256_SPKI.length), P256_SPKI)) {
    refuse("not a P-256 key");
  }
  return copyBytes(spki);
}

function validityOf(value: Tlv | undefined): Pick<Certificate, "notBefore" | "notAfter"> {
  const [from, to, ...surplus] = valuesOf(value);
  if (surplus.length > 0) refuse("surplus in the validity");
  return { notBefore: timeOf(from), notAfter: timeOf(to) };
}

const TIME = /^(\d{2,4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;

// RFC 5280 §4.1.2.5: UTCTime up to 2049, GeneralizedTime from 2050, both to the second and in Z.
function timeOf(value: Tlv | undefined): Date {
  const utc = value?.tag === DER_TAG.UTC_TIME;
  const text = String.fromCharCode(...contentOf(value, utc ? DER_TAG.UTC_TIME : DER_TAG.GENERALIZED_TIME));
  const match = text.length === (utc ? 13 : 15) ? TIME.exec(text) : null;
  if (match === null) refuse("not a time");
  const [short = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const year = utc ? short + (short < 50 ? 2000 : 1900) : short;
  if (!utc && year < 2050) refuse("this time belongs into UTCTime");
  const time = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const digits = time.toISOString().replaceAll(/[-:T]|\.000/g, "");
  if (digits.slice(utc ? 2 : 0) !== text) refuse("no such time");
  return time;
}

type ExtensionClaims = Pick<Certificate, "ca" | "keyUsage" | "usages">;

function extensionsOf(value: Tlv | undefined): ExtensionClaims {
  const list = valuesOf(onlyValue(contentOf(value, DER_TAG.EXPLICIT_3)));
  const seen = new Set<string>();
  let claims: ExtensionClaims = { keyUsage: 0 };
  for (const { id, critical, content } of list.map(extensionOf)) {
    if (seen.has(id)) refuse("an extension occurs twice");
    seen.add(id);
    if (id === OID.basicConstraints) claims = { ...claims, ...basicConstraintsOf(content) };
    else if (id === OID.keyUsage) claims = { ...claims, keyUsage: keyUsageOf(content) };
    else if (id === OID.extendedKeyUsage)
      claims = { ...claims, usages: valuesOf(onlyValue(content)).map(oidOf) };
    else if (critical) refuse("unknown critical extension");
  }
  return claims;
}

function extensionOf(value: Tlv): { id: string; critical: boolean; content: Uint8Array } {
  const parts = valuesOf(value);
  const [id, flag, content] = parts.length === 3 ? parts : [parts[0], undefined, parts[1]];
  if (parts.length > 3) refuse("surplus in an extension");
  const critical = flag !== undefined && expectTrue(flag);
  return { id: oidOf(id), critical, content: contentOf(content, DER_TAG.OCTET_STRING) };
}

function basicConstraintsOf(content: Uint8Array): Pick<Certificate, "ca"> {
  const [flag, length, ...surplus] = valuesOf(onlyValue(content));
  if (surplus.length > 0) refuse("surplus in the basic constraints");
  if (flag === undefined) return {};
  expectTrue(flag);
  if (length === undefined) return { ca: { pathLength: Number.POSITIVE_INFINITY } };
  const magnitude = unsignedOf(length);
  if (magnitude.length > 1) refuse("path length out of range");
  return { ca: { pathLength: magnitude[0] as number } };
}

function keyUsageOf(content: Uint8Array): number {
  const [unused, bits, ...more] = contentOf(onlyValue(content), DER_TAG.BIT_STRING);
  if (unused === undefined || unused > 7 || bits === undefined || more.length > 1)
    refuse("key usage out of range");
  return bits;
}
