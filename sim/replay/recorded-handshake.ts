import { fromHex, toHex } from "../../core/encoding/bytes.ts";
import { anchorAbove } from "../../core/pki/chain.ts";
import { EKU_CLIENT, EKU_TAG } from "../../core/pki/profiles.ts";
import { SecError } from "../../core/sec/errors.ts";
import { type Transcript, transcriptOf } from "../../core/vectors/transcript.ts";
import type { Anchors, TagEvent } from "../tag/tag-types.ts";

/** A file of `npm run sec:verify`: name → handshake, each with the anchors of both chains (DER, hexadecimal). */
export type HandshakeFile = Readonly<
  Record<string, Transcript & { readonly trust_anchor_der: string; readonly tag_ca_der: string }>
>;

/**
 * The finished handshakes among the events of a tag with `revealSecrets`, as `handshake_1`, `handshake_2`, …; those
 * that ended early are left out.
 */
export async function handshakeFile(events: readonly TagEvent[], anchors: Anchors): Promise<HandshakeFile> {
  const file: Record<string, HandshakeFile[string]> = {};
  let values: Record<string, string> = {};
  for (const event of events) {
    if (event.type !== "trace") continue;
    if (event.name === "message_1") values = {};
    values[event.name] = toHex(event.value);
    // The last value of a handshake (core/sec/authentication.ts): now everything is there.
    if (event.name !== "PRK_exporter") continue;
    const transcript = finished(values);
    if (transcript === undefined) continue;
    file[`handshake_${Object.keys(file).length + 1}`] = await anchored(transcript, anchors);
  }
  return file;
}

async function anchored(transcript: Transcript, { clientRoots, tagRoots }: Anchors) {
  const client = await anchorAbove(transcript.initiator_chain_der.map(fromHex), clientRoots, EKU_CLIENT);
  const tag = await anchorAbove(transcript.responder_chain_der.map(fromHex), tagRoots, EKU_TAG);
  return { ...transcript, trust_anchor_der: toHex(client), tag_ca_der: toHex(tag) };
}

/** Undefined where the list of events begins in the middle of a handshake. */
function finished(values: Readonly<Record<string, string>>): Transcript | undefined {
  try {
    return transcriptOf(values);
  } catch (error) {
    if (error instanceof SecError) return undefined;
    throw error;
  }
}
