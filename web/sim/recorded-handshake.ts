import { toHex } from "../../core/bytes.ts";
import { SecError } from "../../core/sec/errors.ts";
import { type Transcript, transcriptOf } from "../../core/sec/transcript.ts";
import type { TagEvent } from "./tag-types.ts";

/** A file of `npm run sec:verify`: name → handshake, each with the anchors of both chains (DER, hexadecimal). */
export type HandshakeFile = Readonly<
  Record<string, Transcript & { readonly trust_anchor_der: string; readonly tag_ca_der: string }>
>;

/**
 * The finished handshakes among the events of a tag with `revealSecrets`, as `handshake_1`, `handshake_2`, …; those
 * that ended early are left out. `anchors` are DER.
 */
export function handshakeFile(
  events: readonly TagEvent[],
  anchors: { readonly clientRoot: Uint8Array; readonly tagRoot: Uint8Array },
): HandshakeFile {
  const file: Record<string, HandshakeFile[string]> = {};
  let values: Record<string, string> = {};
  for (const event of events) {
    if (event.type !== "trace") continue;
    if (event.name === "message_1") values = {};
    values[event.name] = toHex(event.value);
    // The last value of a handshake (core/sec/trace.ts): everything is there now.
    if (event.name !== "PRK_exporter") continue;
    const transcript = finished(values);
    if (transcript === undefined) continue;
    file[`handshake_${Object.keys(file).length + 1}`] = {
      ...transcript,
      trust_anchor_der: toHex(anchors.clientRoot),
      tag_ca_der: toHex(anchors.tagRoot),
    };
  }
  return file;
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
