/** Asking a tag for its signed word. What the word is worth, the service decides. */
import type { Bytes } from "../../core/encoding/bytes.ts";
import { TagError } from "../errors.ts";
import type { SecuredTag, TagWord } from "../tag/secured-tag.ts";
import type { ReconnectingTag } from "./reconnecting-tag.ts";

/** For a receipt: any 16 bytes that nobody has used before. */
export const ownChallenge = (): Bytes => crypto.getRandomValues(new Uint8Array(16));

/**
 * The tag's statement over the service's `challenge`, on a new link if this one falls. Undefined from a tag that does not
 * sign or does it wrong: then the person is asked instead.
 */
export async function presenceOf(
  reached: ReconnectingTag,
  challenge: Bytes,
  signal: AbortSignal,
): Promise<TagWord | undefined> {
  for (;;) {
    const tag = await reached.secured();
    try {
      return await tag.statement(signal, challenge);
    } catch (error) {
      if (error instanceof TagError) return undefined;
      reached.forgive(error);
    }
  }
}

/** The tag's receipt for what it has committed. Never fails: the commit stands without it. */
export async function receiptOf(
  tag: SecuredTag,
  signal: AbortSignal,
  challenge?: Bytes,
): Promise<TagWord | undefined> {
  try {
    return await tag.statement(signal, challenge);
  } catch {
    return undefined;
  }
}
