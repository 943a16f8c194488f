import { type Bytes, equalBytes } from "../encoding/bytes.ts";
import { rawSignature } from "../encoding/der.ts";
import {
  type Certificate,
  type CertificateRules,
  CURVES,
  KEY_USAGE,
  OWN_RULES,
  orRefuse,
  PkiError,
  readCertificate,
  refuse,
} from "./certificate.ts";
import { CHAIN_LIMIT, LEAF_USAGES, type LeafUsage } from "./profiles.ts";

/**
 * Chain verification against pinned anchors (protocol.md, Credentials): the subset of RFC 5280 §6 that our profiles need. Both ends
 * use it, the tag for client chains and the client (and the service) for tag chains. The path (names, roles, depths and
 * signatures) is checked alike whatever the curves and whatever the leaf is for; attestation-chain.ts uses it too.
 */

export interface ChainCheck {
  /** Certificates as received (DER) or read, leaf first; the anchor may be left out or sent along as the last. */
  readonly chain: readonly (Bytes | Certificate)[];
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
 * Usages and times are checked last, so `EKU` and `CRED_TIME` only concern certificates that an anchor vouches for.
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

/** A path every signature of which holds. */
export interface Path {
  readonly leaf: Certificate;
  readonly intermediates: readonly Certificate[];
  readonly anchor: Certificate;
}

/**
 * Reads `chain` (leaf first; the anchor may be sent along as the last) and verifies it up to one of `anchors`.
 *
 * @throws PkiError `CHAIN`
 */
export async function verifyPath(
  chain: ChainCheck["chain"],
  anchors: readonly Bytes[],
  rules: CertificateRules = OWN_RULES,
): Promise<Path> {
  if (chain.length > CHAIN_LIMIT.certificates) refuse("chain too long");
  const read = (one: Bytes | Certificate) => (one instanceof Uint8Array ? readCertificate(one, rules) : one);
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
function withoutAnchor(chain: ChainCheck["chain"], anchors: readonly Bytes[]): ChainCheck["chain"] {
  const last = chain.at(-1);
  const pinned = last instanceof Uint8Array && anchors.some((anchor) => equalBytes(anchor, last));
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

/**
 * Which of `anchors` vouches for `chain` (DER, leaf first): a recorded handshake names the one above each side.
 *
 * @throws PkiError `CHAIN` where none does
 */
export async function anchorAbove(
  chain: readonly Bytes[],
  anchors: readonly Bytes[],
  eku: LeafUsage,
): Promise<Bytes> {
  for (const anchor of anchors) {
    try {
      await verifyChain({ chain, anchors: [anchor], eku });
      return anchor;
    } catch (error) {
      if (!(error instanceof PkiError)) throw error;
    }
  }
  refuse("no anchor is above this chain");
}

/**
 * Verification of chains that platforms attest app instances with: CAs on P-384, leaves on P-256 (Apple's App
 * Attestation). The path is checked as ours is; what the leaf says in extensions of its own is the caller's.
 */

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
