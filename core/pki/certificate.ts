/**
 * Reads an X.509 v3 certificate (RFC 5280 §4.1) of our profiles, or of other rules, from strict DER. It says what the
 * certificate claims, not whether that is true: signatures, names and roles are chain.ts's. A certified
 * key is named by a thumbprint; those of JWKs are here too.
 */
import {
  type Bytes,
  concat,
  copyBytes,
  EncodingError,
  equalBytes,
  fromBase64Url,
  fromHex,
  fromUtf8,
  toBase64Url,
  toHex,
  utf8,
} from "../encoding/bytes.ts";
import {
  bytesOfBits,
  contentOf,
  DER_TAG,
  DerError,
  expectTrue,
  oidOf,
  onlyValue,
  rawSignature,
  type Tlv,
  unsignedOf,
  valuesOf,
} from "../encoding/der.ts";
import { SecError } from "../sec/errors.ts";
import { CHAIN_LIMIT } from "./profiles.ts";

/** Bits of the first byte of KeyUsage (RFC 5280 §4.2.1.3). */
export const KEY_USAGE = { digitalSignature: 0x80, keyCertSign: 0x04 } as const;

export type Curve = "P-256" | "P-384";
export type SignatureHash = "SHA-256" | "SHA-384";

/** What a reader lets pass: anything else is refused before it is looked at. */
export interface CertificateRules {
  readonly maxBytes: number;
  readonly curves: readonly Curve[];
  readonly hashes: readonly SignatureHash[];
}

/** Our own profiles (protocol.md, Credentials): P-256 and ES256 throughout. */
export const OWN_RULES: CertificateRules = {
  maxBytes: CHAIN_LIMIT.bytes,
  curves: ["P-256"],
  hashes: ["SHA-256"],
};

export interface Certificate {
  /** What the issuer signed, as received. */
  readonly tbs: Bytes;
  /** ECDSA-Sig-Value (DER) over {@link hash} of `tbs`. */
  readonly signature: Bytes;
  readonly hash: SignatureHash;
  /** Names as DER: they are compared byte for byte. */
  readonly issuer: Bytes;
  readonly subject: Bytes;
  /** Values of the subject attribute serialNumber (2.5.4.5). */
  readonly subjectSerialNumbers: readonly string[];
  readonly serial: string;
  readonly spki: Bytes;
  readonly curve: Curve;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Present for a CA: how many CA certificates may follow below it. */
  readonly ca?: { readonly pathLength: number };
  /** KeyUsage, first byte; 0 when the extension is absent. */
  readonly keyUsage: number;
  /** Extended key usages; absent when the extension is. */
  readonly usages?: readonly string[];
  /** Content of every extension that is not interpreted above, by its object identifier; none of them is critical. */
  readonly others: ReadonlyMap<string, Bytes>;
}

export const VERSION_3 = fromHex("a003020102");
/** AlgorithmIdentifiers ecdsa-with-SHA256 and ecdsa-with-SHA384 (RFC 5758 §3.2). */
export const SIGNATURE_ALGORITHM = {
  "SHA-256": fromHex("300a06082a8648ce3d040302"),
  "SHA-384": fromHex("300a06082a8648ce3d040303"),
} as const satisfies Record<SignatureHash, Bytes>;

/** A curve's coordinates, in bytes, and SubjectPublicKeyInfo of an uncompressed point up to them (RFC 5480 §2). */
export const CURVES = {
  "P-256": { size: 32, spki: fromHex("3059301306072a8648ce3d020106082a8648ce3d03010703420004") },
  "P-384": { size: 48, spki: fromHex("3076301006072a8648ce3d020106052b8104002203620004") },
} as const satisfies Record<Curve, { readonly size: number; readonly spki: Bytes }>;

/** The longest signature value the rules allow for. */
const widest = (curves: readonly Curve[]) => Math.max(...curves.map((curve) => CURVES[curve].size));

export const OID = {
  commonName: "2.5.4.3",
  serialNumber: "2.5.4.5",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
} as const;

/** @throws PkiError `CHAIN` for anything that is not a strict DER certificate within `rules` */
export function readCertificate(bytes: Bytes, rules: CertificateRules = OWN_RULES): Certificate {
  return orRefuse(() => certificateIn(bytes, rules));
}

function certificateIn(bytes: Bytes, rules: CertificateRules): Certificate {
  if (bytes.length > rules.maxBytes) refuse("certificate too long");
  const [tbs, algorithm, bits, ...surplus] = valuesOf(onlyValue(bytes));
  if (surplus.length > 0) refuse("not a certificate");
  const hash = hashOf(algorithm, rules);
  const [version, serial, inner, issuer, validity, subject, spki, extensions, ...more] = valuesOf(tbs);
  if (more.length > 0) refuse("surplus after the extensions");
  expectBytes(version, VERSION_3, "version");
  expectBytes(inner, SIGNATURE_ALGORITHM[hash], "signature algorithm");
  const signature = bytesOfBits(bits);
  rawSignature(signature, widest(rules.curves));
  const attributes = valuesOf(subject).flatMap((rdn) => valuesOf(rdn, DER_TAG.SET));
  return {
    tbs: wholeOf(tbs),
    signature,
    hash,
    issuer: nameOf(issuer),
    subject: nameOf(subject),
    subjectSerialNumbers: attributes.flatMap(serialNumberOf),
    serial: serialOf(serial),
    ...keyOf(spki, rules),
    ...validityOf(validity),
    ...extensionsOf(extensions),
  };
}

const wholeOf = (value: Tlv | undefined): Bytes => copyBytes(value?.whole ?? refuse("something is missing"));

function expectBytes(value: Tlv | undefined, expected: Bytes, what: string): void {
  if (!equalBytes(wholeOf(value), expected)) refuse(`${what} is not the profile's`);
}

function nameOf(value: Tlv | undefined): Bytes {
  if (contentOf(value, DER_TAG.SEQUENCE).length === 0) refuse("a name is empty");
  return wholeOf(value);
}

function serialNumberOf(attribute: Tlv): string[] {
  const [type, value] = valuesOf(attribute);
  if (oidOf(type) !== OID.serialNumber) return [];
  if (value?.tag !== DER_TAG.PRINTABLE_STRING && value?.tag !== DER_TAG.UTF8_STRING)
    refuse("serialNumber is no text");
  return [fromUtf8(value.content)];
}

function serialOf(value: Tlv | undefined): string {
  const magnitude = unsignedOf(value);
  if (magnitude.length > 20) refuse("serial number too long");
  return toHex(magnitude);
}

function hashOf(algorithm: Tlv | undefined, { hashes }: CertificateRules): SignatureHash {
  const whole = wholeOf(algorithm);
  const hash = hashes.find((name) => equalBytes(whole, SIGNATURE_ALGORITHM[name]));
  if (hash === undefined) refuse("signature algorithm is not the profile's");
  return hash;
}

function keyOf(value: Tlv | undefined, { curves }: CertificateRules): Pick<Certificate, "spki" | "curve"> {
  const whole = wholeOf(value);
  // The length of the point is in the header before it.
  const curve = curves.find((name) => {
    const { spki } = CURVES[name];
    return equalBytes(whole.subarray(0, spki.length), spki);
  });
  if (curve === undefined) refuse("the key is on no curve of the profile");
  return { spki: whole, curve };
}

function validityOf(value: Tlv | undefined): Pick<Certificate, "notBefore" | "notAfter"> {
  const [from, to, ...surplus] = valuesOf(value);
  if (surplus.length > 0) refuse("surplus in the validity");
  return { notBefore: timeOf(from), notAfter: timeOf(to) };
}

// RFC 5280 §4.1.2.5: UTCTime up to 2049, GeneralizedTime from 2050, both to the second and in Z.
function timeOf(value: Tlv | undefined): Date {
  const utc = value?.tag === DER_TAG.UTC_TIME;
  const text = String.fromCharCode(...contentOf(value, utc ? DER_TAG.UTC_TIME : DER_TAG.GENERALIZED_TIME));
  const digits = utc ? (Number(text.slice(0, 2)) < 50 ? "20" : "19") + text : text;
  const iso = digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6.000Z");
  if (iso === digits) refuse("not a time");
  const time = new Date(iso);
  // A day that the month does not have becomes one of the next.
  if (Number.isNaN(time.getTime()) || time.toISOString() !== iso) refuse("no such time");
  if (!utc && time.getUTCFullYear() < 2050) refuse("this time belongs into UTCTime");
  return time;
}

type ExtensionClaims = Pick<Certificate, "ca" | "keyUsage" | "usages" | "others">;

function extensionsOf(value: Tlv | undefined): ExtensionClaims {
  const list = valuesOf(onlyValue(contentOf(value, DER_TAG.EXPLICIT_3)));
  const seen = new Set<string>();
  const others = new Map<string, Bytes>();
  let claims: ExtensionClaims = { keyUsage: 0, others };
  for (const { id, critical, content } of list.map(extensionOf)) {
    if (seen.has(id)) refuse("an extension occurs twice");
    seen.add(id);
    if (id === OID.basicConstraints) claims = { ...claims, ...basicConstraintsOf(content) };
    else if (id === OID.keyUsage) claims = { ...claims, keyUsage: keyUsageOf(content) };
    else if (id === OID.extendedKeyUsage)
      claims = { ...claims, usages: valuesOf(onlyValue(content)).map(oidOf) };
    else if (critical) refuse("unknown critical extension");
    else others.set(id, copyBytes(content));
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
  const bits = contentOf(onlyValue(content), DER_TAG.BIT_STRING);
  // The number of unused bits, and one byte or two of those in use.
  if (bits.length < 2 || bits.length > 3 || (bits[0] as number) > 7) refuse("key usage out of range");
  return bits[1] as number;
}

/** SHA-256 of a SubjectPublicKeyInfo (DER): `cnf` of transaction tokens (protocol.md, Transaction token). */
export async function spkiThumbprint(spki: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", spki));
}

/** SHA-256 of the SubjectPublicKeyInfo of `key` (extractable public key). */
export async function publicKeyThumbprint(key: CryptoKey): Promise<Bytes> {
  return spkiThumbprint(new Uint8Array(await crypto.subtle.exportKey("spki", key)));
}

/** The same for a P-256 key given by its coordinates, base64url of 32 bytes each. Whether it is on the curve is not checked. */
export function p256Thumbprint({ x, y }: { readonly x: string; readonly y: string }): Promise<Bytes> {
  return spkiThumbprint(concat(CURVES["P-256"].spki, fromBase64Url(x), fromBase64Url(y)));
}

/** The public members that name an EC key (RFC 7638 §3.2); others may be present and do not count. */
export interface EcJwk {
  readonly kty?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
}

/**
 * RFC 7638 thumbprint of a P-256 JWK, the raw 32 bytes.
 *
 * @throws TypeError when it is not a P-256 key
 */
export async function jwkThumbprint(jwk: EcJwk): Promise<Bytes> {
  const { kty, crv, x, y } = jwk;
  if (kty !== "EC" || crv !== "P-256" || x === undefined || y === undefined)
    throw new TypeError("not a P-256 JWK");
  // Members in lexicographic order, no white space: the order here is the definition.
  return new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(JSON.stringify({ crv, kty, x, y }))));
}

/** {@link jwkThumbprint} as base64url text, the form of `jkt`. */
export async function jwkThumbprintText(jwk: EcJwk): Promise<string> {
  return toBase64Url(await jwkThumbprint(jwk));
}

/** Returns what `read` returns. Throws PkiError `CHAIN` where it throws DerError or EncodingError. */
export function orRefuse<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof DerError || cause instanceof EncodingError) refuse(cause.message, cause);
    throw cause;
  }
}

/**
 * Why a certificate or a chain is not believed.
 *
 * - `CHAIN`: malformed, not of the profile, or vouched for by no anchor.
 * - `EKU`: made for another use.
 * - `CRED_TIME`: not valid at this time.
 */
export type PkiErrorCode = "CHAIN" | "EKU" | "CRED_TIME";

/** The one error of core/pki about certificates: a session that gets it fails with its code. */
export class PkiError extends SecError {
  declare readonly code: PkiErrorCode;
  constructor(code: PkiErrorCode, message: string, cause?: unknown) {
    super(code, { message, cause });
  }
}

/** The refusal that everything about an unsound certificate comes to. */
export function refuse(message: string, cause?: unknown): never {
  throw new PkiError("CHAIN", message, cause);
}
