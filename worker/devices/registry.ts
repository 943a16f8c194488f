import { type Bytes, EncodingError, fromBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { readCertificate, spkiThumbprint } from "../../core/pki/certificate.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { PkiError } from "../../core/pki/errors.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import { rootsFor } from "../../core/pki/tag-roots.ts";
import type { devices } from "../../db/schema.ts";
import { trustedTagRootIds, trustedTagRoots } from "../config/tag-roots.ts";
import type { RequestContext } from "../context.ts";
import { deviceKey } from "./identity.ts";

/** The tags that the service has stored, and what is proven of them. */

/** What a tag's certificate proves: a tag with this id speaks v2.1 and has this key. */
export interface TagEvidence {
  /** Key of the device id in the certificate. */
  readonly deviceId: string;
  /** The SubjectPublicKeyInfo (DER), and its hash as base64url. */
  readonly spki: Bytes;
  readonly spkiHash: string;
}

/**
 * The evidence in `tagCertificate` (base64 DER of the tag's leaf, rules §5). A certificate that does not
 * verify to a trusted tag CA that may name its id counts as absent: it proves nothing, and its sender may have read it off a tag
 * of another maker.
 */
export async function tagEvidence(
  ctx: RequestContext,
  tagCertificate: string | undefined,
): Promise<TagEvidence | undefined> {
  if (tagCertificate === undefined) return undefined;
  const { settings } = ctx;
  try {
    const certificate = fromBase64(tagCertificate);
    const [subjectSerialNumber] = readCertificate(certificate).subjectSerialNumbers;
    if (subjectSerialNumber === undefined) return undefined;
    const anchors = rootsFor(trustedTagRoots(settings), trustedTagRootIds(settings), subjectSerialNumber);
    const leaf = await verifyChain({ chain: [certificate], anchors, eku: EKU_TAG, at: new Date(ctx.now) });
    const deviceId = deviceKey(subjectSerialNumber);
    const { spki } = leaf;
    return { deviceId, spki, spkiHash: toBase64Url(await spkiThumbprint(spki)) };
  } catch (error) {
    if (error instanceof PkiError || error instanceof EncodingError) return undefined;
    throw error;
  }
}

/** What is stored of a tag, as far as its certificate is compared with it. */
type KnownDevice = Pick<typeof devices.$inferSelect, "id" | "tagSpkiHash">;

/**
 * Whether `evidence` is about the tag that the caller means, and does not contradict a key already proven:
 * only an operator's import can give a tag a second key. `key` is compared with the caller's name for an
 * unknown tag.
 */
export function provesV21(
  evidence: TagEvidence | undefined,
  device: KnownDevice | undefined,
  key: string,
): evidence is TagEvidence {
  if (evidence === undefined || evidence.deviceId !== (device?.id ?? key)) return false;
  return (device?.tagSpkiHash ?? evidence.spkiHash) === evidence.spkiHash;
}
