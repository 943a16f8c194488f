import type { Bytes } from "../encoding/bytes.ts";
import { SecError } from "../sec/errors.ts";
import { verifyChain } from "./chain.ts";
import { refuse } from "./der.ts";
import type { LeafUsage } from "./profiles.ts";

/**
 * Which of `anchors` vouches for `chain` (DER, leaf first): a recorded handshake names the one above each side.
 *
 * @throws SecError `CHAIN` where none does
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
      if (!(error instanceof SecError)) throw error;
    }
  }
  refuse("no anchor is above this chain");
}
