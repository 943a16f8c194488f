import "reflect-metadata/lite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Pkcs10CertificateRequest } from "@peculiar/x509";
import { type Bytes, fromBase64, utf8 } from "../../core/encoding/bytes.ts";
import { type Issuer, issueTagLeaf } from "../../core/pki/issue.ts";
import { fromPem } from "../../core/pki/pem.ts";
import { CHAIN_LIMIT, VALIDITY } from "../../core/pki/profiles.ts";
import { UsageError } from "../command-line.ts";

/** Reads certificate requests (PKCS#10, RFC 2986) as tags send them out of the factory. */

/** A request whose sender holds the key: its signature has verified. */
export interface CertificateRequest {
  /** ECDSA P-256. */
  readonly publicKey: CryptoKey;
  /** The subject's attribute serialNumber (2.5.4.5), which is to be the device id; undefined where there is none. */
  readonly serialNumber: string | undefined;
}

const P256 = { name: "ECDSA", namedCurve: "P-256" } as const;
const SERIAL_NUMBER = "2.5.4.5";

/**
 * Reads a request (DER) and checks that its key has signed it. Everything else that it asks for is ignored: the profile
 * decides what a tag's certificate holds. Throws UsageError.
 */
export async function readCertificateRequest(der: Bytes): Promise<CertificateRequest> {
  const request = parsed(der);
  let publicKey: CryptoKey;
  try {
    publicKey = await request.publicKey.export(P256, []);
  } catch (cause) {
    throw new UsageError("the key of the request is not on P-256", { cause });
  }
  // The library throws where an algorithm and a key do not fit.
  const signed = await request.verify().catch(() => false);
  if (!signed) throw new UsageError("the request is not signed by its key");
  const [serialNumber, ...more] = request.subjectName.getField(SERIAL_NUMBER);
  if (more.length > 0) throw new UsageError("the request names several serial numbers");
  return { publicKey, serialNumber };
}

function parsed(der: Bytes): Pkcs10CertificateRequest {
  if (der.length > CHAIN_LIMIT.bytes) throw new UsageError("the request is too long");
  try {
    return new Pkcs10CertificateRequest(der);
  } catch (cause) {
    throw new UsageError("not a certificate request (PKCS#10)", { cause });
  }
}

/** The certificate of one tag, for a key that the tag made, or that was made for it. */

export const newTagKeys = (): Promise<CryptoKeyPair> =>
  crypto.subtle.generateKey(P256, true, ["sign", "verify"]);

/** The certificate (DER) of tag `id`. */
export const issueTagCertificate = (issuer: Issuer, id: string, publicKey: CryptoKey): Promise<Bytes> =>
  issueTagLeaf({
    issuer,
    deviceId: id,
    publicKey,
    serial: crypto.getRandomValues(new Uint8Array(8)),
    notBefore: new Date(Date.now() - VALIDITY.backdate),
  });

/** What is wrong with a device id: ID must carry it (docs/protocol.md, Service and characteristics), and a list hold it. */
export function deviceIdFault(text: string): string | undefined {
  const { length } = utf8(text);
  const isRight = text.trim() === text && !/[",\p{Cc}]/u.test(text) && length >= 1 && length <= 64;
  return isRight ? undefined : "has 1 to 64 bytes, without quotes, commas or spaces around it";
}

/** The key of a request (PKCS#10, DER) by tag `id`. Throws UsageError, also where the request names another tag. */
export async function requestedKey(der: Bytes, id: string): Promise<CryptoKey> {
  const { publicKey, serialNumber } = await readCertificateRequest(der);
  if (serialNumber === undefined || serialNumber === id) return publicKey;
  throw new UsageError(`the request is of ${JSON.stringify(serialNumber)}, not of ${JSON.stringify(id)}`);
}

/** The key of a SubjectPublicKeyInfo (DER). Throws UsageError. */
export async function publicKeyOf(spki: Bytes): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey("spki", spki, P256, true, ["verify"]);
  } catch {
    throw new UsageError("not a public key on P-256 (SubjectPublicKeyInfo)");
  }
}

/** Throws UsageError. */
export function fromBase64Text(text: string): Bytes {
  try {
    return fromBase64(text);
  } catch {
    throw new UsageError("not base64");
  }
}

/** The CA of a maker of tags (docs/protocol.md, Credentials), as `npm run ops -- maker ca` keeps it in a folder. */

export interface CaFiles {
  readonly certificate: string;
  readonly key: string;
}

export const TAG_CA = { certificate: "tag-ca.pem", key: "tag-ca.jwk.json" } as const satisfies CaFiles;

/** The CA of `folder`; throws UsageError where it holds no certificate. */
export async function issuerIn(folder: string, files: CaFiles): Promise<Issuer> {
  const text = (name: string) => readFileSync(join(folder, name), "utf8");
  const [certificate] = fromPem(text(files.certificate));
  if (certificate === undefined) throw new UsageError(`no certificate in ${folder}/${files.certificate}`);
  return issuerOf(certificate, JSON.parse(text(files.key)) as JsonWebKey);
}

/** `certificate` (DER) with its P-256 key, of whose members only these concern WebCrypto. */
export async function issuerOf(
  certificate: Bytes,
  { kty = "", crv = "", x = "", y = "", d = "" }: JsonWebKey,
): Promise<Issuer> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const privateKey = await crypto.subtle.importKey("jwk", { kty, crv, x, y, d }, algorithm, false, ["sign"]);
  return { certificate, privateKey };
}
