/**
 * A handshake of this client as a file for `npm run sec:verify` (docs/protocol.md, transcripts). It holds the
 * session's secrets: for the verification of tags in development, never for sessions of passengers.
 */
import { type Bytes, fromHex, toHex } from "../../core/bytes.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { EKU_CLIENT, EKU_TAG, type LeafUsage } from "../../core/pki/profiles.ts";
import { SecError } from "../../core/sec/errors.ts";
import type { Transcript } from "../../core/sec/transcript.ts";
import type { Configuration } from "./configuration.ts";

/** Byte strings are hexadecimal, certificates DER. */
export interface RecordedHandshake extends Transcript {
  /** The root above the client's chain. */
  readonly trust_anchor_der: string;
  /** The CA above the tag's. */
  readonly tag_ca_der: string;
}

/** The file of a finished handshake from the values its Initiator traced. */
export async function recordedHandshake(
  values: Readonly<Record<string, string>>,
  { clientRoots, tagRoots }: Pick<Configuration, "clientRoots" | "tagRoots">,
): Promise<RecordedHandshake> {
  // The transcript code replays both roles: loaded only where somebody records.
  const { transcriptOf } = await import("../../core/sec/transcript.ts");
  const transcript = transcriptOf(values);
  const above = (chain: readonly string[], roots: readonly Bytes[], eku: LeafUsage) =>
    anchorOf(chain.map(fromHex), roots, eku);
  return {
    ...transcript,
    trust_anchor_der: toHex(await above(transcript.initiator_chain_der, clientRoots, EKU_CLIENT)),
    tag_ca_der: toHex(await above(transcript.responder_chain_der, tagRoots, EKU_TAG)),
  };
}

async function anchorOf(chain: readonly Bytes[], roots: readonly Bytes[], eku: LeafUsage): Promise<Bytes> {
  for (const root of roots) {
    try {
      await verifyChain({ chain, anchors: [root], eku });
      return root;
    } catch (error) {
      if (!(error instanceof SecError)) throw error;
    }
  }
  throw new SecError("CHAIN", { message: "no pinned root is above this chain" });
}
