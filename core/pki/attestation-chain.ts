/**
 * Verification of chains that platforms attest app instances with: CAs on P-384, leaves on P-256 (Apple's App
 * Attestation). The path is checked as ours is; what the leaf says in extensions of its own is the caller's.
 */
import type { Bytes } from "../encoding/bytes.ts";
import type { CertificateRules } from "./certificate.ts";
import { checkTimes, importKey, verifyPath } from "./chain.ts";
import { PkiError, refuse } from "./errors.ts";

/** Apple's leaves are about 830 bytes; they carry facts about app and system. */
const RULES: CertificateRules = {
  maxBytes: 4_096,
  curves: ["P-256", "P-384"],
  hashes: ["SHA-256", "SHA-384"],
};

export interface AttestedLeaf {
  /** ECDSA P-256, usage `verify`, extractable. */
  readonly publicKey: CryptoKey;
  /** SubjectPublicKeyInfo (DER) exactly as in the certificate. */
  readonly spki: Bytes;
  /** Content of the certificate's extensions beyond those of RFC 5280 that were checked here, by object identifier. */
  readonly extensions: ReadonlyMap<string, Bytes>;
}

/**
 * Verifies `chain` (DER, leaf first) to one of `anchors` (DER) as of `at`. Extended usages anywhere below the anchor
 * are refused: such a certificate was made for something else.
 *
 * @throws PkiError `CHAIN` · `EKU` · `CRED_TIME`
 */
export async function verifyAttestationChain(
  chain: readonly Bytes[],
  anchors: readonly Bytes[],
  at: Date,
): Promise<AttestedLeaf> {
  const path = await verifyPath(chain, anchors, RULES);
  const { leaf, intermediates } = path;
  if ([leaf, ...intermediates].some(({ usages }) => usages !== undefined))
    throw new PkiError("EKU", "made for something else");
  checkTimes(path, at);
  if (leaf.curve !== "P-256") refuse("the attested key is not on P-256");
  return { publicKey: await importKey(leaf), spki: leaf.spki, extensions: leaf.others };
}
