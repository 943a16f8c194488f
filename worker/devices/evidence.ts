import { EncodingError, fromBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import { spkiThumbprint } from "../../core/pki/thumbprint.ts";
import { SecError } from "../../core/sec/errors.ts";
import { trustedTagRoots } from "../config/tag-roots.ts";
import type { RequestContext } from "../context.ts";
import { deviceKey } from "./identity.ts";

/** What a tag's certificate proves: a tag of this id speaks v2.1, with this key. */
export interface TagEvidence {
  /** Key of the device id in the certificate. */
  readonly deviceId: string;
  readonly spkiHash: string;
}

/**
 * The evidence in `tagCertificate` (base64 DER of the tag's leaf, rules §5). What does not verify to a trusted tag
 * CA is as good as absent: it proves nothing, and whoever sent it may have read it off a tag of another maker.
 */
export async function tagEvidence(
  ctx: RequestContext,
  tagCertificate: string | undefined,
): Promise<TagEvidence | undefined> {
  const anchors = trustedTagRoots(ctx.settings);
  if (tagCertificate === undefined || anchors.length === 0) return undefined;
  try {
    const chain = [fromBase64(tagCertificate)];
    const leaf = await verifyChain({ chain, anchors, eku: EKU_TAG, at: new Date(ctx.now) });
    if (leaf.subjectSerialNumber === undefined) return undefined;
    const deviceId = deviceKey(leaf.subjectSerialNumber);
    return { deviceId, spkiHash: toBase64Url(await spkiThumbprint(leaf.spki)) };
  } catch (error) {
    if (error instanceof SecError || error instanceof EncodingError) return undefined;
    throw error;
  }
}
