/**
 * A handshake of this client as a file for `npm run sec:verify` (docs/protocol.md, transcripts). It holds the
 * session's secrets: for the verification of tags in development, never for sessions of passengers.
 */
import { fromHex, toHex } from "../../core/encoding/bytes.ts";
import { anchorAbove } from "../../core/pki/chain.ts";
import { EKU_CLIENT, EKU_TAG } from "../../core/pki/profiles.ts";
import type { Transcript } from "../../core/vectors/transcript.ts";
import type { Configuration } from "../configuration.ts";

/** Byte strings are hexadecimal, certificates DER. */
export interface RecordedHandshake extends Transcript {
  /** The root above the client's chain. */
  readonly trust_anchor_der: string;
  /** The CA above the tag's. */
  readonly tag_ca_der: string;
}

/** Makes the file of a finished handshake from the values that its Initiator traced. */
export async function recordedHandshake(
  values: Readonly<Record<string, string>>,
  { clientRoots, tagRoots }: Pick<Configuration, "clientRoots" | "tagRoots">,
): Promise<RecordedHandshake> {
  // The transcript code replays both roles, so it is loaded only when a handshake is recorded.
  const { transcriptOf } = await import("../../core/vectors/transcript.ts");
  const transcript = transcriptOf(values);
  const client = await anchorAbove(transcript.initiator_chain_der.map(fromHex), clientRoots, EKU_CLIENT);
  const tag = await anchorAbove(transcript.responder_chain_der.map(fromHex), tagRoots, EKU_TAG);
  return { ...transcript, trust_anchor_der: toHex(client), tag_ca_der: toHex(tag) };
}
