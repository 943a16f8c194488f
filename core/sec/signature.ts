import type { Bytes } from "../encoding/bytes.ts";

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
