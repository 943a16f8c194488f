import "reflect-metadata/lite";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { type Bytes, concat, copyBytes, toBase64, utf8 } from "../../core/encoding/bytes.ts";
import { encodeArray, encodeBstr, encodeMap, encodeTstr } from "../../core/encoding/cbor.ts";
import { toPem } from "../../core/pki/pem.ts";
import { coseKey, head, newKeys, signDer } from "./passkey.ts";
import { type EvidenceInput, sha256 } from "./platform-login.ts";

/**
 * A phone and Apple's attestation CAs in software, written from "Validating apps that connect to your server" and from
 * what real phones send. Every part may be replaced before it is signed.
 */

const P256 = { name: "ECDSA", namedCurve: "P-256" };
const P384 = { name: "ECDSA", namedCurve: "P-384" };

/** A pair of CAs: root and, below it, the one that attests. */
export interface AttestationCas {
  readonly rootPem: string;
  readonly intermediate: Bytes;
  readonly signingKey: CryptoKey;
  /** DER of the root. */
  readonly root: Bytes;
}

const DAY = 86_400_000;

/** CAs as Apple's: P-384, SHA-384, the intermediate of path length 0. `validity` is the intermediate's. */
export async function newAttestationCas(
  validity: Partial<{ notBefore: Date; notAfter: Date }> = {},
): Promise<AttestationCas> {
  const [rootKeys, keys] = [await newKeys(P384), await newKeys(P384)];
  const issue = async (subject: string, publicKey: CryptoKey, pathLength: number | undefined) => {
    const certificate = await X509CertificateGenerator.create({
      serialNumber: "0102",
      subject: `CN=${subject}`,
      issuer: "CN=Test Attestation Root CA",
      notBefore: new Date(Date.now() - 900 * DAY),
      notAfter: new Date(Date.now() + 900 * DAY),
      ...(pathLength === 0 ? validity : {}),
      publicKey,
      signingKey: rootKeys.privateKey,
      signingAlgorithm: { name: "ECDSA", hash: "SHA-384" },
      extensions: [
        new BasicConstraintsExtension(true, pathLength, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
    });
    return copyBytes(certificate.rawData);
  };
  const root = await issue("Test Attestation Root CA", rootKeys.publicKey, undefined);
  const intermediate = await issue("Test Attestation CA 1", keys.publicKey, 0);
  return { rootPem: toPem(root), root, intermediate, signingKey: keys.privateKey };
}

/** A key of the Secure Enclave. */
export interface PhoneKey {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** Uncompressed. */
  readonly point: Bytes;
  readonly cose: Bytes;
  /** SHA-256 of the point. */
  readonly id: Bytes;
}

export async function newPhoneKey(algorithm: typeof P256 = P256): Promise<PhoneKey> {
  const { privateKey, publicKey } = await newKeys(algorithm);
  const { x, y } = (await crypto.subtle.exportKey("jwk", publicKey)) as { x: string; y: string };
  const point = copyBytes((await crypto.subtle.exportKey("raw", publicKey)) as ArrayBuffer);
  return { privateKey, publicKey, point, cose: coseKey({ x, y }), id: await sha256(point) };
}

export const APP = { teamId: "A1B2C3D4E5", bundleId: "example.airline.tags" } as const;
const APP_ID = `${APP.teamId}.${APP.bundleId}`;
const NONCE_OID = "1.2.840.113635.100.8.2";

/** 16 characters, filled up with zeros. */
const aaguidOf = (name: string) => concat(utf8(name), new Uint8Array(16 - name.length));

export interface LeafChanges {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly issuer?: string;
  readonly nonceOid?: string;
  /** Content of the nonce's extension, given the nonce. */
  readonly nonceExtension?: (nonce: Bytes) => Bytes;
  readonly extensions?: readonly Extension[];
  readonly keyUsage?: KeyUsageFlags;
  readonly hash?: "SHA-1" | "SHA-256" | "SHA-384";
  readonly signingKey?: CryptoKey;
  readonly publicKey?: CryptoKey;
}

export interface AttestationChanges {
  readonly appId?: string;
  readonly flags?: number;
  readonly counter?: number;
  readonly environment?: string;
  readonly credentialId?: Bytes;
  readonly cose?: Bytes;
  readonly surplus?: Bytes;
  readonly fmt?: string;
  readonly leaf?: LeafChanges;
  readonly x5c?: (chain: readonly Bytes[]) => readonly Bytes[];
  readonly attStmt?: (statement: Bytes) => Bytes;
  readonly object?: (object: Bytes) => Bytes;
  /** Authenticator data that is sent although another was attested. */
  readonly sent?: (authData: Bytes) => Bytes;
  readonly clientDataHash?: Bytes;
  readonly keyId?: string;
  readonly json?: Readonly<Record<string, unknown>>;
}

/** Evidence by which Apple attests `key`. */
export async function appAttestation(
  cas: AttestationCas,
  key: PhoneKey,
  { challenge }: Pick<EvidenceInput, "challenge">,
  changes: AttestationChanges = {},
) {
  const {
    appId = APP_ID,
    flags = 0x40,
    counter = 0,
    environment = "appattest",
    credentialId = key.id,
  } = changes;
  const { cose = key.cose, surplus = new Uint8Array(), fmt = "apple-appattest" } = changes;
  const authData = concat(
    await head(appId, flags, counter),
    ...[aaguidOf(environment), Uint8Array.of(0, credentialId.length), credentialId, cose, surplus],
  );
  const nonce = await sha256(concat(authData, changes.clientDataHash ?? challenge));
  const chain = [await leafCertificate(cas, key, nonce, changes.leaf), cas.intermediate];
  const statement = encodeMap(
    [encodeTstr("x5c"), encodeArray(...(changes.x5c?.(chain) ?? chain).map((der) => encodeBstr(der)))],
    [encodeTstr("receipt"), encodeBstr(utf8("a receipt that is not read"))],
  );
  const object = encodeMap(
    [encodeTstr("fmt"), encodeTstr(fmt)],
    [encodeTstr("attStmt"), changes.attStmt?.(statement) ?? statement],
    [encodeTstr("authData"), encodeBstr(changes.sent?.(authData) ?? authData)],
  );
  return {
    fmt: "apple-appattest",
    keyId: changes.keyId ?? toBase64(key.id),
    attestation: toBase64(changes.object?.(object) ?? object),
    ...changes.json,
  };
}

async function leafCertificate(
  { signingKey }: AttestationCas,
  key: PhoneKey,
  nonce: Bytes,
  changes: LeafChanges = {},
): Promise<Bytes> {
  const { nonceOid = NONCE_OID, nonceExtension = nonceSequence, extensions = [] } = changes;
  const { keyUsage = KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, hash = "SHA-256" } =
    changes;
  const certificate = await X509CertificateGenerator.create({
    serialNumber: "0304",
    subject: "CN=a key",
    issuer: changes.issuer ?? "CN=Test Attestation CA 1",
    notBefore: changes.notBefore ?? new Date(Date.now() - DAY),
    notAfter: changes.notAfter ?? new Date(Date.now() + 3 * DAY),
    publicKey: changes.publicKey ?? key.publicKey,
    signingKey: changes.signingKey ?? signingKey,
    signingAlgorithm: { name: "ECDSA", hash },
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(keyUsage, true),
      // Facts about the phone, of no interest here.
      new Extension("1.2.840.113635.100.8.7", false, Uint8Array.of(0x30, 0)),
      new Extension(nonceOid, false, nonceExtension(nonce)),
      ...extensions,
    ],
  });
  return copyBytes(certificate.rawData);
}

/** SEQUENCE { [1] EXPLICIT OCTET STRING }. */
const nonceSequence = (nonce: Bytes): Bytes =>
  concat(Uint8Array.of(0x30, 0x24, 0xa1, 0x22, 0x04, 0x20), nonce);

/** An extended key usage, for a leaf made for something else. */
export const madeFor = (usage: string) => new ExtendedKeyUsageExtension([usage], false);

export interface AppAssertionChanges {
  readonly appId?: string;
  readonly counter?: number;
  readonly surplus?: Bytes;
  readonly signer?: CryptoKey;
  readonly signature?: (der: Bytes) => Bytes;
  readonly sentCounter?: number;
  readonly clientDataHash?: Bytes;
  readonly object?: (object: Bytes) => Bytes;
  readonly json?: Readonly<Record<string, unknown>>;
}

/** Evidence that uses an attested key. */
export async function appAssertion(
  key: PhoneKey,
  { challenge }: Pick<EvidenceInput, "challenge">,
  changes: AppAssertionChanges = {},
) {
  const { appId = APP_ID, counter = 1, surplus = new Uint8Array() } = changes;
  // Apple says here that a credential follows, and sends none.
  const dataOf = async (count: number) => concat(await head(appId, 0x40, count), surplus);
  const authData = await dataOf(counter);
  const nonce = await sha256(concat(authData, changes.clientDataHash ?? challenge));
  const signature = await signDer(changes.signer ?? key.privateKey, nonce);
  const object = encodeMap(
    [encodeTstr("signature"), encodeBstr(changes.signature?.(signature) ?? signature)],
    [encodeTstr("authenticatorData"), encodeBstr(await dataOf(changes.sentCounter ?? counter))],
  );
  return {
    fmt: "apple-appattest",
    keyId: toBase64(key.id),
    assertion: toBase64(changes.object?.(object) ?? object),
    ...changes.json,
  };
}
