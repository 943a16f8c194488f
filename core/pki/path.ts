/**
 * The path from a leaf to a pinned anchor: names, roles, depths and signatures (RFC 5280 §6), whatever the curves.
 * It does not know what the leaf is for; chain.ts and attestation-chain.ts do.
 */
import { type Bytes, equalBytes } from "../encoding/bytes.ts";
import { rawSignature } from "../encoding/der.ts";
import {
  type Certificate,
  type CertificateRules,
  CURVES,
  KEY_USAGE,
  OWN_RULES,
  readCertificate,
} from "./certificate.ts";
import { orRefuse, PkiError, refuse } from "./errors.ts";
import { CHAIN_LIMIT } from "./profiles.ts";

/** A path every signature of which holds. */
export interface Path {
  readonly leaf: Certificate;
  readonly intermediates: readonly Certificate[];
  readonly anchor: Certificate;
}

/**
 * Reads `chain` (DER, leaf first; the anchor may be sent along as the last) and verifies it up to one of `anchors`.
 *
 * @throws PkiError `CHAIN`
 */
export async function verifyPath(
  chain: readonly Bytes[],
  anchors: readonly Bytes[],
  rules: CertificateRules = OWN_RULES,
): Promise<Path> {
  if (chain.length > CHAIN_LIMIT.certificates) refuse("chain too long");
  const read = (der: Bytes) => readCertificate(der, rules);
  const [leaf, ...intermediates] = withoutAnchor(chain, anchors).map(read);
  if (leaf === undefined) refuse("no leaf");
  checkLeaf(leaf);
  return { leaf, intermediates, anchor: await signedPath(leaf, intermediates, anchors.map(read)) };
}

/** @throws PkiError `CRED_TIME` where a certificate of the path is not valid at `at` */
export function checkTimes({ leaf, intermediates, anchor }: Path, at: Date): void {
  for (const { notBefore, notAfter } of [leaf, ...intermediates, anchor]) {
    if (at < notBefore || at > notAfter) throw new PkiError("CRED_TIME", "not valid at this time");
  }
}

/** The certified key: ECDSA on its curve, usage `verify`, extractable. */
export async function importKey({ spki, curve }: Pick<Certificate, "spki" | "curve">): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey("spki", spki, { name: "ECDSA", namedCurve: curve }, true, [
      "verify",
    ]);
  } catch (cause) {
    refuse("the public key is not on the curve", cause);
  }
}

/** A peer may send its anchor along; it is pinned here already and proves nothing. */
function withoutAnchor(chain: readonly Bytes[], anchors: readonly Bytes[]): readonly Bytes[] {
  const last = chain.at(-1);
  const pinned = last !== undefined && anchors.some((anchor) => equalBytes(anchor, last));
  return pinned ? chain.slice(0, -1) : chain;
}

function checkLeaf(leaf: Certificate): void {
  if (leaf.ca !== undefined) refuse("the leaf is a CA");
  if ((leaf.keyUsage & KEY_USAGE.digitalSignature) === 0) refuse("the leaf may not sign");
  if ((leaf.keyUsage & KEY_USAGE.keyCertSign) !== 0) refuse("the leaf claims to sign certificates");
  if (leaf.subjectSerialNumbers.length > 1) refuse("more than one serialNumber in the subject");
}

/** The anchor that vouches for the leaf, every link verified. */
async function signedPath(
  leaf: Certificate,
  intermediates: readonly Certificate[],
  anchors: readonly Certificate[],
): Promise<Certificate> {
  let child = leaf;
  for (const [depth, issuer] of intermediates.entries()) {
    if (!(await issued(issuer, child, depth))) refuse("not issued by the next certificate");
    child = issuer;
  }
  for (const anchor of anchors) {
    if (await issued(anchor, child, intermediates.length)) return anchor;
  }
  refuse("no pinned anchor issued this chain");
}

/** Whether `issuer`, with `depth` CA certificates between itself and the leaf, may issue and did issue `child`. */
async function issued(issuer: Certificate, child: Certificate, depth: number): Promise<boolean> {
  if (!equalBytes(issuer.subject, child.issuer)) return false;
  if (issuer.ca === undefined || issuer.ca.pathLength < depth) return false;
  if ((issuer.keyUsage & KEY_USAGE.keyCertSign) === 0) return false;
  const signature = orRefuse(() => rawSignature(child.signature, CURVES[issuer.curve].size));
  const algorithm = { name: "ECDSA", hash: child.hash };
  return crypto.subtle.verify(algorithm, await importKey(issuer), signature, child.tbs);
}
