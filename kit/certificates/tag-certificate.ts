/** The certificate of one tag, for a key that the tag made, or that was made for it. */
import { type Bytes, fromBase64, utf8 } from "../../core/encoding/bytes.ts";
import { type Issuer, issueTagLeaf } from "../../core/pki/issue.ts";
import { VALIDITY } from "../../core/pki/profiles.ts";
import { UsageError } from "../command-line.ts";
import { readCertificateRequest } from "./certificate-request.ts";

const P256 = { name: "ECDSA", namedCurve: "P-256" } as const;

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
