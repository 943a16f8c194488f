/**
 * Asks a tag for its signed statement, and resolves by it what a closed page left unresolved. What the statement is
 * worth, the service decides.
 */
import type { Bytes } from "../../core/encoding/bytes.ts";
import { foldDeviceId } from "../../core/pki/tag-roots.ts";
import { TagError } from "../errors.ts";
import type { Outbox } from "../outbox.ts";
import type { SecuredTag, SignedStatement } from "../tag/secured-tag.ts";
import type { ClearTagRequest, SettleOutcome, SettleResult } from "../types.ts";
import type { Operation } from "./operation.ts";
import type { OperationContext, TagConnection } from "./tag-connection.ts";

/** A challenge of the client itself, for a statement that only has to be new: 16 random bytes. */
export const ownChallenge = (): Bytes => crypto.getRandomValues(new Uint8Array(16));

/**
 * The tag's statement over the service's `challenge`, on a new link if this one falls. Undefined from a tag that does not
 * sign or does it wrong: then the person is asked instead.
 */
export async function presenceStatement(
  connection: TagConnection,
  challenge: Bytes,
  signal: AbortSignal,
): Promise<SignedStatement | undefined> {
  for (;;) {
    const tag = await connection.secured();
    try {
      return await tag.statement(signal, challenge);
    } catch (error) {
      if (error instanceof TagError) return undefined;
      connection.allowRetry(error);
    }
  }
}

/** The tag's statement of its last commit. Never fails: the commit is valid without it. */
export async function commitStatement(
  tag: SecuredTag,
  signal: AbortSignal,
  challenge?: Bytes,
): Promise<SignedStatement | undefined> {
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
  const connection = context.reach(request, run);
  try {
    const tag = await connection.secured();
    const outcome = (await settleOpen(outbox, tag, run.signal)) ?? "nothing_open";
    run.progress.enter("attach");
    if (outcome === "written") await outbox.flush(run.signal);
    const device = foldDeviceId(tag.id);
    const left = (await outbox.entries()).filter(
      ({ uniqueDeviceId }) => foldDeviceId(uniqueDeviceId) === device,
    );
    return { outcome, pendingRetry: left.length > 0, device: connection.device };
  } finally {
    connection.close();
  }
}

/** Every operation settles what is open at its tag, before it changes it. Undefined where nothing is. */
export function settleOpen(
  outbox: Outbox,
  tag: SecuredTag,
  signal: AbortSignal,
): Promise<SettleOutcome | undefined> {
  return outbox.settle(tag.id, tag.lastCommit, () => commitStatement(tag, signal, ownChallenge()));
}
