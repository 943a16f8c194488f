/**
 * Hash and signatures of the cipher suites, apart from their table: a module that only checks a signature (the service)
 * loads neither key agreements nor AEADs.
 */
import { type Bytes, concat } from "../encoding/bytes.ts";

/** A hash with the HKDF halves over it. */
export interface Hash {
  /** Bytes of a digest. */
  readonly length: number;
  digest(data: Bytes): Promise<Bytes>;
  /** HKDF-Extract (RFC 5869 §2.2). */
  extract(salt: Bytes, input: Bytes): Promise<Bytes>;
  /** HKDF-Expand (RFC 5869 §2.3); throws `RangeError` over 255 blocks. */
  expand(key: Bytes, info: Bytes, length: number): Promise<Bytes>;
}

const HMAC = { name: "HMAC", hash: "SHA-256" } as const;
const LENGTH = 32;

/** SHA-256. WebCrypto's HKDF fuses extract and expand, so both are built on HMAC. */
export const SHA_256: Hash = {
  length: LENGTH,
  digest: async (data) => new Uint8Array(await crypto.subtle.digest("SHA-256", data)),
  extract: async (salt, input) => hmac(await hmacKey(salt), input),
  expand,
};

async function expand(secret: Bytes, info: Bytes, length: number): Promise<Bytes> {
  const count = Math.ceil(length / LENGTH);
  if (count > 255) throw new RangeError("HKDF-Expand gives at most 255 blocks");
  const key = await hmacKey(secret);
  const output = new Uint8Array(count * LENGTH);
  let block = new Uint8Array();
  for (let i = 1; i <= count; i++) {
    block = await hmac(key, concat(block, info, Uint8Array.of(i)));
    output.set(block, (i - 1) * LENGTH);
  }
  return output.slice(0, length);
}

async function hmacKey(secret: Bytes): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", secret, HMAC, false, ["sign"]);
}

async function hmac(key: CryptoKey, data: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign(HMAC.name, key, data));
}

/** A signature algorithm; signatures are raw, 64 bytes, never DER. */
export interface SignatureScheme {
  readonly length: number;
  sign(privateKey: CryptoKey, data: Bytes): Promise<Bytes>;
  /** False for a wrong signature, and for a key of another algorithm. */
  verify(publicKey: CryptoKey, signature: Bytes, data: Bytes): Promise<boolean>;
}

/** ECDSA over P-256 with SHA-256. High S is as good as low S (RFC 9053 §2.1 asks for neither). */
export const ES256: SignatureScheme = scheme({ name: "ECDSA", hash: "SHA-256" }, "P-256");

/** Ed25519; for the verification of suite 0 only. */
export const ED25519: SignatureScheme = scheme({ name: "Ed25519" }, undefined);

function scheme(algorithm: { name: string; hash?: string }, curve: string | undefined): SignatureScheme {
  const fits = (key: CryptoKey) =>
    key.algorithm.name === algorithm.name &&
    (key.algorithm as { readonly namedCurve?: string }).namedCurve === curve;
  return {
    length: 64,
    sign: async (privateKey, data) => new Uint8Array(await crypto.subtle.sign(algorithm, privateKey, data)),
    verify: async (publicKey, signature, data) =>
      signature.length === 64 &&
      fits(publicKey) &&
      (await crypto.subtle.verify(algorithm, publicKey, signature, data)),
  };
}
