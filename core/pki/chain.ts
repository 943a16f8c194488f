/**
 * Chain verification against pinned anchors (protocol.md, Credentials): the subset of RFC 5280 §6 that our profiles need. Both ends
 * use it, the tag for client chains and the client (and the service) for tag chains.
 */
import type { Bytes } from "../encoding/bytes.ts";
import type { Certificate } from "./certificate.ts";
import { PkiError } from "./errors.ts";
import { checkTimes, importKey, verifyPath } from "./path.ts";
import { LEAF_USAGES, type LeafUsage } from "./profiles.ts";

export interface ChainCheck {
  /** DER certificates as received, leaf first; the anchor may be left out or sent along as the last. */
  readonly chain: readonly Bytes[];
  /** Pinned CA certificates (DER). Without any, every chain is refused. */
  readonly anchors: readonly Bytes[];
  /** The role the leaf must have; its extended key usages are exactly that role's. */
  readonly eku: LeafUsage;
  /** When given, every certificate of the path must be valid then. A tag has no clock and leaves it out. */
  readonly at?: Date;
}

/** What a verified leaf says about itself. */
export interface VerifiedLeaf {
  /** ECDSA P-256, usage `verify`, extractable. */
  readonly publicKey: CryptoKey;
  /** SubjectPublicKeyInfo (DER) exactly as in the certificate. */
  readonly spki: Bytes;
  /** Subject attribute serialNumber (2.5.4.5): the device id of a tag. */
  readonly subjectSerialNumber?: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** The certificate's own serial number, lower-case hexadecimal without leading zero bytes. */
  readonly serial: string;
}

/**
 * Verifies a certificate chain: P-256 and ES256 throughout, every issuer a CA that may sign certificates and allows
 * the depth below it, every signature over the received bytes, a leaf that is no CA and may sign.
 * Usages and times are judged last, so `EKU` and `CRED_TIME` are only said of certificates an anchor vouches for.
 *
 * @throws PkiError `CHAIN` · `EKU` (usages are not exactly the role's) · `CRED_TIME` (not valid at `at`)
 */
export async function verifyChain({ chain, anchors, eku, at }: ChainCheck): Promise<VerifiedLeaf> {
  const path = await verifyPath(chain, anchors);
  const { leaf, intermediates } = path;
  checkUsages(leaf, intermediates, eku);
  if (at !== undefined) checkTimes(path, at);
  const [subjectSerialNumber] = leaf.subjectSerialNumbers;
  return {
    publicKey: await importKey(leaf),
    spki: leaf.spki,
    ...(subjectSerialNumber === undefined ? {} : { subjectSerialNumber }),
    notBefore: leaf.notBefore,
    notAfter: leaf.notAfter,
    serial: leaf.serial,
  };
}

function checkUsages(leaf: Certificate, intermediates: readonly Certificate[], eku: LeafUsage): void {
  const wanted: readonly string[] = LEAF_USAGES[eku];
  const has = leaf.usages ?? [];
  const exact = has.length === wanted.length && wanted.every((usage) => has.includes(usage));
  // An intermediate without usages is unconstrained; one that lists some must allow the leaf's.
  const allowed = intermediates.every(({ usages }) => usages === undefined || usages.includes(eku));
  if (!exact || !allowed) throw new PkiError("EKU", "usages are not those of the role");
}
