import type { Bytes } from "../encoding/bytes.ts";
import { verifyChain } from "./chain.ts";
import { PkiError, refuse } from "./errors.ts";
import type { LeafUsage } from "./profiles.ts";

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
