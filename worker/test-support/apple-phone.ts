import "reflect-metadata/lite";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  type X509CertificateCreateWithKeyParams,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { type Bytes, concat, copyBytes, toBase64, utf8 } from "../../core/encoding/bytes.ts";
import { toPem } from "../../core/pki/pem.ts";
import { sha256 } from "../sessions/attestation/evidence.ts";
import type { EvidenceInput } from "./logins.ts";
import { attestedCredential, cbor, cborMap, coseKey, head, newKeys, signDer } from "./passkey.ts";

/**
 * A phone and Apple's attestation CAs in software, written from "Validating apps that connect to your server" and from
 * what real phones send. Every part may be replaced before it is signed.
 */

const P256 = { name: "ECDSA", namedCurve: "P-256" };
const P384 = { name: "ECDSA", namedCurve: "P-384" };

const [ROOT, INTERMEDIATE] = ["Test Attestation Root CA", "Test Attestation CA 1"];

/** A pair of CAs: root and, below it, the one that attests. */
export interface AttestationCas {
  readonly rootPem: string;
  readonly intermediate: Bytes;
  readonly signingKey: CryptoKey;
  /** DER of the root. */
  readonly root: Bytes;
}

const DAY = 86_400_000;

/** The DER of a certificate of so many days. */
async function issue(
  days: number,
  signatureHash: string,
  parts: Omit<X509CertificateCreateWithKeyParams, "signingAlgorithm" | "serialNumber">,
): Promise<Bytes> {
  const certificate = await X509CertificateGenerator.create({
    ...{ serialNumber: "0102", signingAlgorithm: { name: "ECDSA", hash: signatureHash } },
    notBefore: new Date(Date.now() - days * DAY),
    notAfter: new Date(Date.now() + days * DAY),
    ...parts,
  });
  return copyBytes(certificate.rawData);
}

/** CAs as Apple's: P-384, SHA-384, the intermediate of path length 0. */
export async function newAttestationCas(): Promise<AttestationCas> {
  const [rootKeys, keys] = [await newKeys(P384), await newKeys(P384)];
  const caOf = (name: string, publicKey: CryptoKey, pathLength: number | undefined) =>
    issue(900, "SHA-384", {
      ...{ subject: `CN=${name}`, issuer: `CN=${ROOT}`, publicKey, signingKey: rootKeys.privateKey },
      extensions: [
        new BasicConstraintsExtension(true, pathLength, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
    });
  const root = await caOf(ROOT, rootKeys.publicKey, undefined);
  const intermediate = await caOf(INTERMEDIATE, keys.publicKey, 0);
  return { rootPem: toPem(root), root, intermediate, signingKey: keys.privateKey };
}

/** A key of the Secure Enclave. */
export interface PhoneKey {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly cose: Bytes;
  /** SHA-256 of the uncompressed point. */
  readonly id: Bytes;
}

export async function newPhoneKey(algorithm: typeof P256 = P256): Promise<PhoneKey> {
  const { privateKey, publicKey } = await newKeys(algorithm);
  const jwk = (await crypto.subtle.exportKey("jwk", publicKey)) as JsonWebKey;
  const point = copyBytes((await crypto.subtle.exportKey("raw", publicKey)) as ArrayBuffer);
  return { privateKey, publicKey, cose: coseKey(jwk), id: await sha256(point) };
}

export const APP = { teamId: "A1B2C3D4E5", bundleId: "example.airline.tags" } as const;
const APP_ID = `${APP.teamId}.${APP.bundleId}`;

/** 16 characters, filled up with zeros. */
const aaguidOf = (name: string) => concat(utf8(name), new Uint8Array(16 - name.length));

const leafParts = ({ signingKey }: AttestationCas) => ({
  nonceOid: "1.2.840.113635.100.8.2",
  /** Content of the nonce's extension, given the nonce: SEQUENCE { [1] EXPLICIT OCTET STRING }. */
  nonceExtension: (nonce: Bytes) => concat(Uint8Array.of(0x30, 0x24, 0xa1, 0x22, 0x04, 0x20), nonce),
  extensions: [] as readonly Extension[],
  keyUsage: (KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment) as KeyUsageFlags,
  signingKey,
});
type LeafChanges = Partial<
  ReturnType<typeof leafParts> & { readonly notBefore: Date; readonly notAfter: Date }
>;

const attestationParts = (key: PhoneKey) => ({
  appId: APP_ID,
  flags: 0x40,
  counter: 0,
  environment: "appattest",
  credentialId: key.id,
  cose: key.cose,
  fmt: "apple-appattest",
  leaf: {} as LeafChanges,
  x5c: (chain: readonly Bytes[]) => chain,
  attStmt: (statement: ReturnType<typeof cborMap>) => statement,
  object: (object: Bytes) => object,
  keyId: toBase64(key.id),
  json: {} as Readonly<Record<string, unknown>>,
});
export type AttestationChanges = Partial<ReturnType<typeof attestationParts>>;

/** Evidence by which Apple attests `key`. */
export async function appAttestation(
  cas: AttestationCas,
  key: PhoneKey,
  { challenge }: Pick<EvidenceInput, "challenge">,
  changes: AttestationChanges = {},
) {
  const parts = { ...attestationParts(key), ...changes };
  const credential = attestedCredential(aaguidOf(parts.environment), parts.credentialId, parts.cose);
  const authData = concat(await head(parts.appId, parts.flags, parts.counter), credential);
  const nonce = await sha256(concat(authData, challenge));
  const chain = [await leafCertificate(cas, key, nonce, parts.leaf), cas.intermediate];
  const receipt = utf8("a receipt that is not read");
  const attStmt = parts.attStmt(cborMap({ x5c: [...parts.x5c(chain)], receipt }));
  const object = cbor(cborMap({ fmt: parts.fmt, attStmt, authData }));
  return {
    fmt: "apple-appattest",
    keyId: parts.keyId,
    attestation: toBase64(parts.object(object)),
    ...parts.json,
  };
}

function leafCertificate(cas: AttestationCas, key: PhoneKey, nonce: Bytes, changes: LeafChanges) {
  const parts = { ...leafParts(cas), ...changes };
  const { nonceOid, nonceExtension, extensions, keyUsage, ...others } = parts;
  return issue(3, "SHA-256", {
    ...{ subject: "CN=a key", issuer: `CN=${INTERMEDIATE}`, publicKey: key.publicKey, ...others },
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(keyUsage, true),
      // Facts about the phone, of no interest here.
      new Extension("1.2.840.113635.100.8.7", false, Uint8Array.of(0x30, 0)),
      new Extension(nonceOid, false, nonceExtension(nonce)),
      ...extensions,
    ],
  });
}

/** An extended key usage, for a leaf made for something else. */
export const madeFor = (usage: string) => new ExtendedKeyUsageExtension([usage], false);

const assertionParts = (key: PhoneKey) => ({
  appId: APP_ID,
  counter: 1,
  surplus: new Uint8Array() as Bytes,
  signer: key.privateKey,
  signature: (der: Bytes) => der,
  sentCounter: undefined as number | undefined,
  object: (object: Bytes) => object,
  json: {} as Readonly<Record<string, unknown>>,
});
export type AppAssertionChanges = Partial<ReturnType<typeof assertionParts>>;

/** Evidence that uses an attested key. */
export async function appAssertion(
  key: PhoneKey,
  { challenge }: Pick<EvidenceInput, "challenge">,
  changes: AppAssertionChanges = {},
) {
  const parts = { ...assertionParts(key), ...changes };
  // Apple says here that a credential follows, and sends none.
  const dataOf = async (count: number) => concat(await head(parts.appId, 0x40, count), parts.surplus);
  const nonce = await sha256(concat(await dataOf(parts.counter), challenge));
  const signature = await signDer(parts.signer, nonce);
  const authenticatorData = await dataOf(parts.sentCounter ?? parts.counter);
  const object = cbor(cborMap({ signature: parts.signature(signature), authenticatorData }));
  return {
    fmt: "apple-appattest",
    keyId: toBase64(key.id),
    assertion: toBase64(parts.object(object)),
    ...parts.json,
  };
}
