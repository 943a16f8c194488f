/** settleTag: asks a tag whether it took what a page wrote when it was closed, and tells the service. */
import type { Outbox } from "../outbox.ts";
import type { SecuredTag } from "../tag/secured-tag.ts";
import { foldDeviceId } from "../tag/tag.ts";
import type { ClearTagRequest, SettleOutcome, SettleResult } from "../types.ts";
import type { Operation } from "./operation.ts";
import type { OperationContext } from "./reconnecting-tag.ts";
import { ownChallenge, receiptOf } from "./tag-word.ts";

/** Steps: connect and secure · compare with what is open · attach or unlock what the tag confirms. */
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
