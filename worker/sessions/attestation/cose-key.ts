import { type Bytes, concat, toBase64Url } from "../../../core/encoding/bytes.ts";
import { CborReader } from "../../../core/encoding/cbor.ts";
import { DerError, rawSignature } from "../../../core/encoding/der.ts";

/**
 * Public keys of authenticators as they write them (COSE_Key, RFC 9052 §7, RFC 9053 §7, RFC 8230 §4), and their
 * signatures (WebAuthn Level 3 §6.5.5): ES256, EdDSA on Ed25519 and RS256, which is what platforms offer.
 */

/** Labels of a key's members; what −1 to −3 hold depends on the kind of key. */
const KTY = 1;
export const COSE_ALG = 3;

type Members = ReadonlyMap<number, number | Bytes>;

/** A key that can verify. */
interface SignatureKey {
  readonly key: CryptoKey;
  readonly algorithm: { readonly name: string; readonly hash?: string };
  /** A signature as WebCrypto takes it; undefined for one that is not of this kind's form. */
  readonly raw: (signature: Bytes) => Bytes | undefined;
}

/** Throws CborError, TypeError or DOMException for what is no key of the three kinds. */
export async function importCoseKey(bytes: Bytes): Promise<SignatureKey> {
  const members = membersOf(bytes);
  const kind = `${members.get(KTY)} ${members.get(COSE_ALG)}`;
  if (kind === "2 -7") return es256(members);
  if (kind === "1 -8") return ed25519(members);
  if (kind === "3 -257") return rs256(members);
  throw new TypeError("another kind of key");
}

/** Whether `signature` is that of `coseKey` over `data`. Throws as {@link importCoseKey} does. */
export async function isSignedBy(coseKey: Bytes, signature: Bytes, data: Bytes): Promise<boolean> {
  const { key, algorithm, raw } = await importCoseKey(coseKey);
  const bytes = raw(signature);
  return bytes !== undefined && crypto.subtle.verify(algorithm, key, bytes, data);
}

async function es256(members: Members): Promise<SignatureKey> {
  if (members.get(-1) !== 1) throw new TypeError("another curve");
  const point = concat(Uint8Array.of(0x04), bytesAt(members, -2, 32, 32), bytesAt(members, -3, 32, 32));
  const key = await imported("raw", point, { name: "ECDSA", namedCurve: "P-256" });
  return { key, algorithm: { name: "ECDSA", hash: "SHA-256" }, raw: rawOrNone };
}

function rawOrNone(signature: Bytes): Bytes | undefined {
  try {
    return rawSignature(signature, 32);
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

async function ed25519(members: Members): Promise<SignatureKey> {
  if (members.get(-1) !== 6) throw new TypeError("another curve");
  const key = await imported("raw", bytesAt(members, -2, 32, 32), { name: "Ed25519" });
  return { key, algorithm: { name: "Ed25519" }, raw: (signature) => signature };
}

/** 2,048 to 4,096 bits and a small exponent: a key that its owner chooses must not cost us seconds. */
async function rs256(members: Members): Promise<SignatureKey> {
  const n = toBase64Url(bytesAt(members, -1, 256, 512));
  const e = toBase64Url(bytesAt(members, -2, 1, 4));
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const jwk = { kty: "RSA", n, e };
  const key = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["verify"]);
  return { key, algorithm, raw: (signature) => signature };
}

const imported = (format: "raw", bytes: Bytes, algorithm: SubtleCryptoImportKeyAlgorithm) =>
  crypto.subtle.importKey(format, bytes, algorithm, false, ["verify"]);

/** Members that are numbers or bytes; others say nothing about the key. */
function membersOf(bytes: Bytes): Members {
  // Strictly ascending, so no member comes twice.
  new CborReader(bytes).raw();
  const cbor = new CborReader(bytes);
  const members = new Map<number, number | Bytes>();
  for (let left = cbor.map(); left > 0; left--) {
    const label = numberOrBytes(cbor);
    const value = numberOrBytes(cbor);
    if (typeof label === "number" && value !== undefined) members.set(label, value);
  }
  cbor.end();
  return members;
}

function numberOrBytes(cbor: CborReader): number | Bytes | undefined {
  const type = cbor.peek();
  if (type === "int") return cbor.int();
  if (type === "bstr") return cbor.bstr();
  cbor.raw();
  return undefined;
}

function bytesAt(members: Members, label: number, shortest: number, longest: number): Bytes {
  const value = members.get(label);
  if (!(value instanceof Uint8Array) || value.length < shortest || value.length > longest)
    throw new TypeError("a member of another length");
  return value;
}
