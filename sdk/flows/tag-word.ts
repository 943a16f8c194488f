/**
 * Asking a tag for its signed word, and settling by it what a page wrote when it was closed. What the word is
 * worth, the service decides.
 */
import type { Bytes } from "../../core/encoding/bytes.ts";
import { TagError } from "../errors.ts";
import type { Outbox } from "../outbox.ts";
import type { SecuredTag, TagWord } from "../tag/secured-tag.ts";
import { foldDeviceId } from "../tag/tag.ts";
import type { ClearTagRequest, SettleOutcome, SettleResult } from "../types.ts";
import type { Operation } from "./operation.ts";
import type { OperationContext, ReconnectingTag } from "./reconnecting-tag.ts";

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

/** settleTag. Steps: connect and secure · compare with what is open · attach or unlock what the tag confirms. */
export async function settleTag(
  context: OperationContext,
  run: Operation<SettleResult>,
  request: ClearTagRequest,
): Promise<SettleResult> {
  const { outbox } = context;
  const reached = context.reach(request, run);
  try {
    const tag = await reached.secured();
    const outcome = (await settleOpen(outbox, tag, run.signal)) ?? "nothing_open";
    run.progress.enter("attach");
    if (outcome === "written") await outbox.flush(run.signal);
    const device = foldDeviceId(tag.id);
    const left = (await outbox.entries()).filter(
      ({ uniqueDeviceId }) => foldDeviceId(uniqueDeviceId) === device,
    );
    return { outcome, pendingRetry: left.length > 0, device: reached.device };
  } finally {
    reached.close();
  }
}

/** Every operation settles what is open at its tag, before it changes it. Undefined where nothing is. */
export function settleOpen(
  outbox: Outbox,
  tag: SecuredTag,
  signal: AbortSignal,
): Promise<SettleOutcome | undefined> {
  return outbox.settle(tag.id, tag.lastCommit, () => receiptOf(tag, signal, ownChallenge()));
}
