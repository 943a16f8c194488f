/**
 * Who a side is and how it verifies the other. core/sec knows nothing of PKI: certificates are byte strings here,
 * and whether a chain is good is decided by the function the caller passes in.
 */
import type { Bytes } from "../encoding/bytes.ts";

/**
 * One side's own credential: certificates as DER, **leaf first** (endpoint 7 delivers them in the other order), and
 * the leaf's private key. `sign` instead of a key serves a secure element, or the replay of a recorded signature;
 * it returns a raw signature (r‖s, 64 bytes).
 */
export type Credential =
  | { readonly chain: readonly Bytes[]; readonly privateKey: CryptoKey }
  | {
      readonly chain: readonly Bytes[];
      readonly sign: (toBeSigned: Bytes) => Promise<Bytes>;
    };

/** The least a verified peer has. Callers add what they need later (SPKI, validity, serial number). */
export interface Peer {
  readonly publicKey: CryptoKey;
}

/**
 * Verifies the peer's chain (DER, leaf first, 1–3 certificates, as received). Resolves with the leaf's public key, or
 * rejects: a `SecError` (`CHAIN`, `EKU`, `CRED_TIME`, `IDENTITY`) is passed on, anything else becomes `CHAIN`.
 */
export type VerifyPeer<P extends Peer> = (chain: readonly Bytes[]) => Promise<P>;

/**
 * What only a verification of foreign traces may do: name credentials by a reference, as the traces of RFC 9529
 * chapter 2 do. Absent in production, where only `x5chain` exists.
 */
export interface VerificationOnly {
  /** Our ID_CRED_x, a CBOR map as it travels, in place of `x5chain`. */
  readonly idCred: Bytes;
  /** The peer's chain for its ID_CRED_x (CBOR as received), or undefined when it is unknown. */
  readonly resolve: (idCred: Bytes) => readonly Bytes[] | undefined;
}
